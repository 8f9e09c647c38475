package main

import (
	"context"
	"os"

	flagd "github.com/open-feature/go-sdk-contrib/providers/flagd/pkg"
	"github.com/open-feature/go-sdk/openfeature"

	"sdkcomparison/place"
)

var background = context.Background()

func main() {
	compared := place.Read()
	if os.Args[2] == "in-process" {
		evaluatorOf := evaluatorsOf(
			flagd.WithInProcessResolver(),
			flagd.WithHost("127.0.0.1"),
			flagd.WithPort(compared.Settings.FlagdSyncPort),
			flagd.WithSelector(compared.Settings.ServerKey),
			flagd.WithDeadline(20_000),
		)
		compared.Compare(evaluatorOf)
		compared.Watch(evaluatorOf(compared.Contexts[0]))
		return
	}
	// This resolver sends no selector.
	evaluatorOf := evaluatorsOf(
		flagd.WithRPCResolver(),
		flagd.WithHost("key:"+compared.Settings.ServerKey+"@127.0.0.1"),
		flagd.WithPort(compared.Settings.FlagdPort),
	)
	compared.CompareAsking(evaluatorOf)
	compared.Watch(evaluatorOf(compared.Contexts[0]))
}

func evaluatorsOf(options ...flagd.ProviderOption) func(place.Context) place.Evaluate {
	provider, err := flagd.NewProvider(options...)
	place.Must(err)
	place.Must(openfeature.SetProviderAndWait(provider))
	client := openfeature.NewDefaultClient()
	return func(given place.Context) place.Evaluate {
		attributes := map[string]any{}
		for name, value := range given {
			attributes[name] = value
		}
		delete(attributes, "targetingKey")
		own := openfeature.NewEvaluationContext(given["targetingKey"].(string), attributes)
		return func(flag place.Flag) any { return valueOf(client, flag, own) }
	}
}

func valueOf(client *openfeature.Client, flag place.Flag, own openfeature.EvaluationContext) any {
	switch flag.Kind {
	case "boolean":
		details, err := client.BooleanValueDetails(background, flag.Key, false, own)
		return served(details.Value, details.Variant, err)
	case "string":
		details, err := client.StringValueDetails(background, flag.Key, "", own)
		return served(details.Value, details.Variant, err)
	case "number":
		details, err := client.FloatValueDetails(background, flag.Key, 0, own)
		return served(details.Value, details.Variant, err)
	default:
		details, err := client.ObjectValueDetails(background, flag.Key, map[string]any{}, own)
		return served(details.Value, details.Variant, err)
	}
}

// served is nil where the provider returned the default.
func served(value any, variant string, err error) any {
	if err != nil || variant == "" {
		return nil
	}
	return value
}
