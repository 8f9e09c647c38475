// Makes the profile in this directory: a program that spends its time in known functions.
package main

import (
	"context"
	"os"
	"runtime/pprof"
	"time"
)

//go:noinline
func mix(state uint64) uint64 {
	for i := 0; i < 1000; i++ {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
	}
	return state
}

//go:noinline
func handleCheckout(until time.Time) uint64 {
	state := uint64(88172645463325252)
	for time.Now().Before(until) {
		state = mix(state)
	}
	return state
}

func main() {
	file, err := os.Create("go-cpu.pb.gz")
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	labels := pprof.Labels("endpoint", "/checkout")
	pprof.Do(context.Background(), labels, func(context.Context) { handleCheckout(time.Now().Add(2 * time.Second)) })
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		panic(err)
	}
}
