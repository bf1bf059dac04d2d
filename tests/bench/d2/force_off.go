//go:build !d2bench

package main

import "millrace.dev/millrace/d2"

const forcing = false

func force(*d2.Window, strategy) {}
