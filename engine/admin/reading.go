package admin

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
)

// A reading is what the client of a GET is answered, as a value for JSON.
type reading func() (any, error)

// serve answers with what r returns.
func (r reading) serve(w http.ResponseWriter, request *http.Request) {
	v, err := r()
	if err != nil {
		refuse(w, request.URL.EscapedPath(), err)
		return
	}
	writeJSON(w, http.StatusOK, v)
}

// clusters reads every cluster, in the order of the names.
func clusters(v View) reading {
	return func() (any, error) {
		all := append([]Cluster{}, v.Clusters()...)
		slices.SortFunc(all, func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
		for i := range all {
			all[i] = listed(all[i])
		}
		return all, nil
	}
}

// cluster reads the cluster called name.
func cluster(v View, name string) reading {
	return func() (any, error) {
		all := v.Clusters()
		i := slices.IndexFunc(all, func(c Cluster) bool { return c.Name == name })
		if i < 0 {
			return nil, &failure{http.StatusNotFound, "no such cluster"}
		}
		return listed(all[i]), nil
	}
}

// listed has a cluster without endpoints show an empty list.
func listed(c Cluster) Cluster {
	c.Endpoints = append([]Endpoint{}, c.Endpoints...)
	return c
}

// routes reads the routes in the order of the configuration.
func routes(v View) reading {
	return func() (any, error) {
		all := append([]Route{}, v.Routes()...)
		for i := range all {
			all[i].Hosts = append([]string{}, all[i].Hosts...)
		}
		return all, nil
	}
}

// beacons reads what the receivers of announcements keep track of.
func beacons(v View) reading {
	return func() (any, error) { return append([]Beacon{}, v.Beacons()...), nil }
}

// config reads the configuration in force.
func config(v View) reading {
	return func() (any, error) {
		text, err := v.Config()
		return json.RawMessage(text), err
	}
}
