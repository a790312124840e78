// Package gatewayapi is Gateway API's own suite as a program.
package gatewayapi

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func TestConformance(t *testing.T) {
	conformance.RunConformance(t)
}
