package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	gb "github.com/growthbook/growthbook-golang"

	"sdkcomparison/place"
)

func main() {
	compared := place.Read()
	background := context.Background()
	options := []gb.ClientOption{
		gb.WithApiHost(compared.Settings.Base + "/growthbook"),
		gb.WithClientKey(compared.Settings.ServerKey),
		gb.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))),
		gb.WithSseDataSource(),
	}
	if len(os.Args) > 2 && os.Args[2] == "encrypted" {
		key, secret := compared.Settings.EncryptedKey, compared.Settings.DecryptionKey
		options = append(options, gb.WithClientKey(key), gb.WithDecryptionKey(secret))
	}
	client, err := gb.NewClient(background, options...)
	place.Must(err)
	place.Must(client.EnsureLoaded(background))
	evaluatorOf := func(given place.Context) place.Evaluate {
		attributes := gb.Attributes{}
		for name, value := range given {
			attributes[name] = value
		}
		attributes["id"] = given["targetingKey"]
		delete(attributes, "targetingKey")
		own, err := client.WithAttributes(attributes)
		place.Must(err)
		return func(flag place.Flag) any { return own.EvalFeature(background, flag.Key).Value }
	}
	compared.Compare(evaluatorOf)
	compared.Watch(evaluatorOf(compared.Contexts[0]))
}
