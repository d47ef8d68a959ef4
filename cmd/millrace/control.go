package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"millrace/engine"
	"millrace/engine/admin"
	"millrace/engine/config"
)

// A control is what operators see of a process, and do to it, through the admin listener.
// Its methods are safe for concurrent use.
type control struct {
	process *process
	config  atomic.Pointer[config.Config] // current
	secret  atomic.Pointer[config.Secret] // for changes; empty = none is needed

	changing  sync.Mutex // held while an endpoint is changed
	upgrading bool       // another process is told what there is: nothing may change; guarded by changing
}

var errNoFile = errors.New("there is no configuration file to reload")

// use makes c the configuration that is shown, and reads the token that it names. With an
// error the token stays as it is.
func (o *control) use(c *config.Config) error {
	o.config.Store(c)
	var token config.Secret
	if c.Admin != nil && c.Admin.TokenFile != "" {
		var err error
		if token, err = config.ReadToken(c.Admin.TokenFile); err != nil {
			return err
		}
	}
	o.secret.Store(&token)
	return nil
}

// token is what changes need, empty if there is none.
func (o *control) token() string { return o.secret.Load().Reveal() }

// Clusters returns the clusters of the engine.
func (o *control) Clusters() []admin.Cluster {
	var all []admin.Cluster
	for _, c := range o.process.engine.Clusters() {
		shown := admin.Cluster{Name: c.Name, Algorithm: c.Algorithm}
		for _, e := range c.Endpoints {
			shown.Endpoints = append(shown.Endpoints, admin.Endpoint(e))
		}
		all = append(all, shown)
	}
	return all
}

// freeze has nothing changed through o, or lets it be changed again. It returns when no change
// is under way.
func (o *control) freeze(frozen bool) {
	o.changing.Lock()
	defer o.changing.Unlock()
	o.upgrading = frozen
}

func (o *control) frozen() bool {
	o.changing.Lock()
	defer o.changing.Unlock()
	return o.upgrading
}

// SetEndpoint changes the state or the weight of an endpoint.
func (o *control) SetEndpoint(cluster, id string, c admin.EndpointChange) (admin.Endpoint, error) {
	o.changing.Lock()
	defer o.changing.Unlock()
	if o.upgrading {
		return admin.Endpoint{}, admin.ErrUpgrading
	}
	e, err := o.process.engine.SetEndpoint(cluster, id, engine.EndpointChange(c))
	if errors.Is(err, engine.ErrNoEndpoint) {
		return admin.Endpoint{}, fmt.Errorf("%w: %s", admin.ErrNoEndpoint, err.Error())
	}
	if err != nil {
		return admin.Endpoint{}, err
	}
	o.process.log.Info("endpoint changed", slog.String("cluster", cluster), slog.String("upstream.address", e.Address),
		slog.String("state", e.State), slog.Int("weight", e.Weight))
	return admin.Endpoint(e), nil
}

// Beacons returns what the receivers of announcements keep track of.
func (o *control) Beacons() []admin.Beacon {
	var all []admin.Beacon
	for _, r := range o.process.engine.Beacons() {
		all = append(all, admin.Beacon{
			Cluster: r.Cluster, Listen: r.Listen, URL: r.URL, State: string(r.State), LastSeen: r.LastSeen,
			TS: r.TS, Host: r.Host, PID: r.PID, Seq: r.Seq,
		})
	}
	return all
}

// Routes returns the routes in the order of the file.
func (o *control) Routes() []admin.Route {
	var all []admin.Route
	for _, r := range o.config.Load().Routes {
		shown := admin.Route{Name: r.Name, Hosts: slices.Clone(r.Hosts), Prefix: r.Prefix, Cluster: r.Cluster}
		if r.Local != nil {
			shown.Cluster = config.NoCluster
		}
		all = append(all, shown)
	}
	return all
}

// Config returns the configuration in force, without secrets.
func (o *control) Config() ([]byte, error) { return config.Effective(o.config.Load()) }

// Reload loads the file as SIGHUP does.
func (o *control) Reload() (changed bool, err error) {
	if o.process.path == "" {
		return false, errNoFile
	}
	if o.frozen() {
		return false, admin.ErrUpgrading
	}
	changed, err = o.process.Reload(true)
	if errors.Is(err, engine.ErrDraining) {
		err = admin.ErrDraining
	}
	return changed, err
}

// SetLogLevel holds until the file asks for another level than it does now.
func (o *control) SetLogLevel(level string) error {
	if err := o.process.logs.setLevel(level); err != nil {
		return err
	}
	o.process.log.Info("log level changed", slog.String("log.level", level))
	return nil
}

// Reload loads the file, and reads the operators' token again even if the file is as it
// was. A token that cannot be read leaves the one before in force.
func (p *process) Reload(asked bool) (changed bool, err error) {
	changed, err = p.reloader.Reload(asked)
	if err != nil {
		return changed, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.control.use(p.config); err != nil {
		p.log.Error("admin.token_file cannot be read again", slog.String("error.message", err.Error()))
		if !changed {
			return false, err
		}
	}
	return changed, nil
}
