//go:build !linux

package main

import "errors"

func generate(*options) (*result, error) {
	return nil, errors.New("the load generator is written for Linux")
}
