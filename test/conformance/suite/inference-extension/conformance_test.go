// Package inferenceextension is upstream's suite as a program.
package inferenceextension

import (
	"testing"

	"sigs.k8s.io/gateway-api-inference-extension/conformance"
)

func TestConformance(t *testing.T) {
	conformance.RunConformance(t)
}
