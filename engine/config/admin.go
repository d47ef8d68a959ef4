package config

// Admin is the operators' listener.
type Admin struct {
	// Address is a TCP address.
	Address Address
	// TokenFile holds the bearer token for calls that change something; empty is none.
	TokenFile string

	path string
}

func (a *Admin) form() form {
	return mapping{path: &a.path, keys: keys{
		{name: "address", form: addressOrFalse(&a.Address),
			doc: "`false` is no admin listener"},
		{name: "token_file", form: optional{file(&a.TokenFile)},
			doc: "Bearer token of calls that change something, without its final newline. Without it only callers on this machine may change anything"},
	}}
}

// addressOrFalse takes an address, or false for none, which is stored as zero.
func addressOrFalse(to *Address) scalar[Address] {
	s := hostPort(to)
	s.kind = "host:port or false"
	origin := s.takes
	s.takes = func() []object { return append(origin(), orFalse()) }
	s.parse = func(text string) (Address, error) {
		if text == "false" {
			return Address{}, nil
		}
		return parseAddress(text)
	}
	return s
}
