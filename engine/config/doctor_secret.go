package config

import "slices"

// secretInFile finds secrets written out, but for those that the environment gives.
func secretInFile(x *examination) {
	if x.src == nil {
		return
	}
	for _, e := range x.src.written {
		if e.text == "" || e.expanded {
			continue
		}
		switch e.key {
		case "beacon.receive[].secret", "beacon.announce[].secret":
			x.find(e.path, "whoever reads this file, or a copy of it, has the secret")
		case "clusters.*.request_header[]", "clusters.*.response_header[]":
			if r, err := parseHeaderRule(e.text); err == nil && r.holdsSecret() {
				x.find(e.path, "whoever reads this file, or a copy of it, has the value of %s", r.Name)
			}
		}
	}
}

// holdsSecret reports whether the rule writes a value that is likely a credential.
func (r HeaderRule) holdsSecret() bool {
	variable := func(p Part) bool { return p.Variable.Kind != NoVariable }
	return r.Op != HeaderRemove && r.Value.Text != "" && tellsOfSecret(r.Name) && !slices.ContainsFunc(r.Value.Parts, variable)
}
