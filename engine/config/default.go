package config

import "time"

func defaultConfig() *Config {
	return &Config{
		ProxyConcurrentConns: 16384,
		ShutdownTimeout:      25 * time.Second,
		Timeouts: Timeouts{
			Header:       10 * time.Second,
			TLSHandshake: 10 * time.Second,
			Idle:         75 * time.Second,
			BodyIdle:     30 * time.Second,
			Tunnel:       time.Hour,
			WriteIdle:    60 * time.Second,
		},
		Limits: Limits{
			HeaderBytes:  32 * kib,
			HeaderCount:  128,
			URIBytes:     8 * kib,
			HTTP2Streams: 128,
		},
		Admin: defaultAdmin(),
		Log:   Log{Level: LevelInfo, Format: FormatJSON},
		Trace: Trace{Generate: true, SampleRatio: 1},
	}
}

func defaultListener() Listener { return Listener{HTTP2: true} }

func defaultListenerTLS() *ListenerTLS {
	return &ListenerTLS{MinVersion: TLS12, ClientAuth: RequireCertificate}
}

func defaultRoute() Route { return Route{Prefix: "/"} }

func defaultLocal() *Local { return &Local{Status: 200} }

func defaultCluster(name string) Cluster {
	return Cluster{
		Name:                  name,
		Algorithm:             TwoRandom,
		BeaconDefaults:        defaultUpstreamSettings(),
		CircuitBreaker:        defaultCircuitBreaker(),
		RetryConnection:       true,
		MaxRetriesPerUpstream: 1,
		KeepAlive:             true,
		ResponseHeaderTimeout: 30 * time.Second,
		ResponseIdleTimeout:   60 * time.Second,
	}
}

func defaultInlineCluster() *Cluster {
	c := defaultCluster("")
	c.Inline = true
	return &c
}

func defaultUpstream() Upstream { return Upstream{UpstreamSettings: defaultUpstreamSettings()} }

func defaultUpstreamSettings() UpstreamSettings {
	return UpstreamSettings{
		Weight:            1,
		IdleTimeout:       60 * time.Second,
		ConnectionTimeout: 5 * time.Second,
	}
}

func defaultActiveCheck() *ActiveCheck {
	expect, _ := parseStatusSet("2xx,3xx")
	return &ActiveCheck{
		URI:               "/health",
		Method:            "GET",
		Interval:          10 * time.Second,
		Timeout:           5 * time.Second,
		ExpectStatus:      expect,
		ConsecutiveFails:  2,
		ConsecutivePasses: 2,
	}
}

func defaultAffinity() *Affinity { return &Affinity{} }

func defaultCookieAffinity() *CookieAffinity {
	return &CookieAffinity{Name: "millrace_sticky", Path: "/", HTTPOnly: true, SameSite: SameSiteLax}
}

func defaultCircuitBreaker() *CircuitBreaker {
	return &CircuitBreaker{
		MaxFails:            5,
		Window:              30 * time.Second,
		OpenDuration:        30 * time.Second,
		ConsecutivePasses:   1,
		FlappingTransitions: 3,
		FlappingWindow:      10 * time.Second,
	}
}

func defaultRetryBudget() *RetryBudget {
	return &RetryBudget{MaxRetryRate: 0.1, MaxTokens: 10, RefillRate: 2}
}

func defaultBeaconReceive() BeaconReceive { return BeaconReceive{MaxSkew: 30 * time.Second} }

func defaultBeaconAnnounce() BeaconAnnounce { return BeaconAnnounce{Interval: 5 * time.Second} }

func defaultAdmin() *Admin {
	return &Admin{Address: Address{Text: "127.0.0.1:9090", Host: "127.0.0.1", Port: 9090}}
}

func defaultAccessLog() *AccessLog { return &AccessLog{Path: "stdout", Format: FormatJSON} }
