package config

// The schemas of the forms. Those of single values are in schema_scalar.go.

func (m mapping) schema() object {
	properties, required := object{}, []string{}
	for _, f := range m.keys {
		properties = append(properties, member{f.name, f.property()})
		if f.required {
			required = append(required, f.name)
		}
	}
	o := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	o = append(o, m.also...)
	return append(o, member{"additionalProperties", false})
}

func (s section) schema() object {
	o := s.mapping.schema()
	o[0].value = []string{"object", "null"}
	return o
}

func (b beaconDefaults) schema() object { return section{b.settings()}.schema() }

func (s switched[T]) schema() object {
	return anyOf(onOff(), fromEnvironment(), s.form(s.fresh()).schema())
}

func (p present[T]) schema() object { return p.form(p.fresh()).schema() }

func (m named[T]) schema() object {
	return object{
		{"type", []string{"object", "null"}},
		{"propertyNames", m.names},
		{"additionalProperties", anyOf(ref(m.def), noValue())},
	}
}

func (l list[T]) schema() object {
	t := l.fresh()
	return object{{"type", "array"}, {"items", l.form(&t).schema()}}
}

func (o oneOrMore[T]) schema() object {
	t := o.fresh()
	return anyOf(o.form(&t).schema(), o.list.schema())
}

func (h hosts) schema() object {
	return anyOf(object{{"const", ""}}, h.oneOrMore.schema())
}

func (s shorthand) schema() object {
	f, _ := s.keys.find(s.name)
	return anyOf(f.form.schema(), s.mapping.schema())
}

func (o optional) schema() object { return anyOf(o.form.schema(), noValue()) }

func (s short) schema() object { return upstreamURL(&s.u.URL).schema() }

func (i inline) schema() object {
	u := defaultUpstream()
	url := urlOnly(&u).schema()
	// Unlike a cluster under clusters, no beacon fills this one.
	filled := object{{"properties", object{{"upstreams", object{{"minItems", 1}}}}}, {"required", []string{"upstreams"}}}
	return anyOf(
		url,
		object{{"type", "array"}, {"items", url}, {"minItems", 1}},
		append(ref("cluster"), filled...),
	)
}

func (a affinity) schema() object {
	one := mapping{keys: defaultAffinity().keys(), also: object{{"minProperties", 1}, {"maxProperties", 1}}}
	return anyOf(object{{"const", "ip"}}, fromEnvironment(), one.schema())
}

func (b byIP) schema() object {
	return object{{"type", []string{"object", "null"}}, {"maxProperties", 0}}
}

// orFalse is a schema of the word false, which text takes as well.
func orFalse() object { return object{{"enum", []any{false, "false"}}} }

func noValue() object { return object{{"type", "null"}} }

func onOff() object { return object{{"type", "boolean"}} }

func fromEnvironment() object { return ref("environment") }
