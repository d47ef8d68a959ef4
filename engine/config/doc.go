// Package config reads the YAML file of a proxy: it decodes it strictly, fills in
// the defaults, and reports every fault with file, line, column and key path.
//
// The types mirror the file. They are plain values: the engine compiles its runtime
// from them and never changes them. A key is described once, in the keys method of
// the type that holds it; decoding, the list returned by Keys, the JSON Schema, and the
// checks of the documentation all follow from that description.
//
// Parse and Load do not open the files that a configuration names (certificates,
// secrets); CheckFiles does. Unbuilt tells which written keys ask for something this
// build does not have, Doctor what loads but is against good practice, and Warnings the
// worst of that.
package config
