package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/Unleash/unleash-go-sdk/v5"
	"github.com/Unleash/unleash-go-sdk/v5/api"
	unleashcontext "github.com/Unleash/unleash-go-sdk/v5/context"

	"sdkcomparison/place"
)

func main() {
	compared := place.Read()
	backups, err := os.MkdirTemp("", "unleash-")
	place.Must(err)
	client, err := unleash.NewClient(
		unleash.WithUrl(compared.Settings.Base+"/unleash/api"),
		unleash.WithAppName("shop"),
		unleash.WithCustomHeaders(http.Header{"Authorization": {compared.Settings.ServerKey}}),
		unleash.WithDisableMetrics(true),
		unleash.WithBackupPath(backups),
		unleash.WithRefreshInterval(100*time.Millisecond),
		unleash.WithListener(&listener{}),
	)
	place.Must(err)
	client.WaitForReady()
	evaluatorOf := func(given place.Context) place.Evaluate {
		own := contextOf(given)
		return func(flag place.Flag) any {
			if flag.Kind == "boolean" {
				value := client.IsEnabled(flag.Key, unleash.WithContext(own), unleash.WithFallback(true))
				if value != client.IsEnabled(flag.Key, unleash.WithContext(own), unleash.WithFallback(false)) {
					return nil
				}
				return value
			}
			return valueOf(client.GetVariant(flag.Key, unleash.WithVariantContext(own)))
		}
	}
	compared.Compare(evaluatorOf)
	compared.Watch(evaluatorOf(compared.Contexts[0]))
}

// contextOf gives the attributes of a context, which are texts, the names that Unleash has for them.
func contextOf(given place.Context) unleashcontext.Context {
	own := unleashcontext.Context{Properties: map[string]string{}}
	for name, value := range given {
		text := value.(string)
		switch name {
		case "targetingKey":
			own.UserId = text
		case "sessionId":
			own.SessionId = text
		case "remoteAddress":
			own.RemoteAddress = text
		default:
			own.Properties[name] = text
		}
	}
	return own
}

func valueOf(variant *api.Variant) any {
	if !variant.FeatureEnabled || variant.Name == "disabled" {
		return nil
	}
	switch variant.Payload.Type {
	case "":
		return variant.Name
	case "string":
		return variant.Payload.Value
	}
	var value any
	place.Must(json.Unmarshal([]byte(variant.Payload.Value), &value))
	return value
}

// listener is told of each event, since the client waits until somebody is.
type listener struct{}

func (*listener) OnError(error)                   {}
func (*listener) OnWarning(error)                 {}
func (*listener) OnReady()                        {}
func (*listener) OnCount(string, bool)            {}
func (*listener) OnSent(unleash.MetricsData)      {}
func (*listener) OnRegistered(unleash.ClientData) {}
