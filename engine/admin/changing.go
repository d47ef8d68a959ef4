package admin

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// reload loads the configuration again.
func reload(s State, c Control) change {
	return func(f fields) (any, error) {
		if err := f.only(); err != nil {
			return nil, err
		}
		if ok, why := s.Ready(); !ok {
			return nil, &failure{http.StatusConflict, why}
		}
		changed, err := c.Reload()
		if errors.Is(err, ErrDraining) || errors.Is(err, ErrUpgrading) {
			return nil, &failure{http.StatusConflict, err.Error()}
		}
		if err != nil {
			return nil, &failure{http.StatusUnprocessableEntity, err.Error()}
		}
		return map[string]bool{"changed": changed}, nil
	}
}

// levels are the log levels, from the most to the least talkative.
var levels = []string{"debug", "info", "warn", "error"}

// setLogLevel changes the level of the log.
func setLogLevel(c Control) change {
	return func(f fields) (any, error) {
		if err := f.only("level"); err != nil {
			return nil, err
		}
		level, err := f.text("level")
		if err != nil {
			return nil, err
		}
		if !slices.Contains(levels, level) {
			return nil, malformed("level is one of %s", strings.Join(levels, ", "))
		}
		if err := c.SetLogLevel(level); err != nil {
			return nil, err
		}
		return map[string]string{"level": level}, nil
	}
}
