// Package place is what the programs of the SDKs for Go share; common.mjs in Go.
package place

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"
)

const nothing = 255

// Flag is a flag under test.
type Flag struct {
	Key     string   `json:"key"`
	Kind    string   `json:"kind"`
	Values  []any    `json:"values"`
	Reasons []string `json:"reasons"`
}

// Settings are the addresses and keys.
type Settings struct {
	Base      string `json:"base"`
	ServerKey string `json:"serverKey"`
	// EncryptedKey is a key whose features are encrypted with DecryptionKey.
	EncryptedKey  string `json:"encryptedKey"`
	DecryptionKey string `json:"decryptionKey"`
	Changing      string `json:"changing"`
	Last          string `json:"last"`
	// ListedContexts is the number of contexts for flags that must be absent.
	ListedContexts int `json:"listedContexts"`
	// Fewer is the number of contexts for SDKs that send a request for each flag.
	Fewer         int    `json:"fewer"`
	FlagdPort     uint16 `json:"flagdPort"`
	FlagdSyncPort uint16 `json:"flagdSyncPort"`
}

// Context is a context in OpenFeature's form.
type Context map[string]any

// Place is what is compared.
type Place struct {
	Settings Settings  `json:"settings"`
	Flags    []Flag    `json:"flags"`
	Contexts []Context `json:"contexts"`
	answers  []byte
}

// Evaluate returns the value of a flag; nil is the default of the caller.
type Evaluate func(flag Flag) any

type example struct {
	Flag     string  `json:"flag"`
	IsListed bool    `json:"isListed"`
	Wanted   any     `json:"wanted"`
	Given    any     `json:"given"`
	Context  Context `json:"context"`
}

type result struct {
	Contexts    int       `json:"contexts"`
	Evaluations int       `json:"evaluations"`
	Listed      int       `json:"listed"`
	Differences int       `json:"differences"`
	Examples    []example `json:"examples"`
}

// Read reads what the comparison wrote.
func Read() Place {
	var place Place
	directory := os.Args[1]
	file, err := os.ReadFile(filepath.Join(directory, "place.json"))
	Must(err)
	Must(json.Unmarshal(file, &place))
	place.answers, err = os.ReadFile(filepath.Join(directory, "answers.bin"))
	Must(err)
	return place
}

// Must ends the program with an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Compare compares values of an SDK that evaluates in this process with those of OFREP.
func (place Place) Compare(evaluatorOf func(Context) Evaluate) {
	isListed := func(flag Flag) bool { return len(flag.Reasons) > 0 }
	place.compare(evaluatorOf, place.Contexts, isListed)
}

// CompareAsking does so for an SDK that sends a request for each flag, so no flag may be absent.
func (place Place) CompareAsking(evaluatorOf func(Context) Evaluate) {
	isListed := func(Flag) bool { return false }
	place.compare(evaluatorOf, place.Contexts[:min(place.Settings.Fewer, len(place.Contexts))], isListed)
}

func (place Place) compare(evaluatorOf func(Context) Evaluate, contexts []Context, listed func(Flag) bool) {
	made := result{Contexts: len(contexts), Examples: []example{}}
	seen := map[string]bool{}
	for i, context := range contexts {
		evaluate := evaluatorOf(context)
		for j, flag := range place.Flags {
			isListed := listed(flag)
			if isListed && i >= place.Settings.ListedContexts {
				continue
			}
			answer := place.answers[i*len(place.Flags)+j]
			if isListed {
				answer = nothing
				made.Listed++
			}
			var wanted any
			if answer != nothing {
				wanted = flag.Values[answer]
			}
			given := evaluate(flag)
			made.Evaluations++
			if reflect.DeepEqual(given, wanted) {
				continue
			}
			made.Differences++
			if !seen[flag.Key] && len(made.Examples) < 20 {
				seen[flag.Key] = true
				made.Examples = append(made.Examples, example{flag.Key, isListed, wanted, given, context})
			}
		}
	}
	print(made)
}

// Watch reports each new value of the flag that changes, until the last.
func (place Place) Watch(read Evaluate) {
	print(map[string]any{"watching": true})
	var last any
	for last != place.Settings.Last {
		value := read(Flag{Key: place.Settings.Changing, Kind: "string"})
		if value != nil && value != last {
			print(map[string]any{"seen": value, "at": time.Now().UnixMilli()})
			last = value
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func print(line any) {
	text, err := json.Marshal(line)
	Must(err)
	fmt.Println(string(text))
}
