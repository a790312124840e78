// Writes the descriptors of Envoy's API and of Envoy Gateway's extension protocol, as the Go modules of go.mod have them, to
// standard output: a FileDescriptorSet, each file after those that it imports.
package main

import (
	"log"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	buffer "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/buffer/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	early "github.com/envoyproxy/go-control-plane/envoy/extensions/http/early_header_mutation/header_mutation/v3"
	leastrequest "github.com/envoyproxy/go-control-plane/envoy/extensions/load_balancing_policies/least_request/v3"
	override "github.com/envoyproxy/go-control-plane/envoy/extensions/load_balancing_policies/override_host/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	http "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	eds "github.com/envoyproxy/go-control-plane/envoy/service/endpoint/v3"

	"github.com/envoyproxy/gateway/proto/extension"
)

func main() {
	roots := []protoreflect.FileDescriptor{
		extension.File_proto_extension_service_proto,
		eds.File_envoy_service_endpoint_v3_eds_proto,
		discovery.File_envoy_service_discovery_v3_discovery_proto,
		hcm.File_envoy_extensions_filters_network_http_connection_manager_v3_http_connection_manager_proto,
		extproc.File_envoy_extensions_filters_http_ext_proc_v3_ext_proc_proto,
		buffer.File_envoy_extensions_filters_http_buffer_v3_buffer_proto,
		early.File_envoy_extensions_http_early_header_mutation_header_mutation_v3_header_mutation_proto,
		override.File_envoy_extensions_load_balancing_policies_override_host_v3_override_host_proto,
		leastrequest.File_envoy_extensions_load_balancing_policies_least_request_v3_least_request_proto,
		tls.File_envoy_extensions_transport_sockets_tls_v3_tls_proto,
		http.File_envoy_extensions_upstreams_http_v3_http_protocol_options_proto,
	}
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		for i := 0; i < file.Imports().Len(); i++ {
			add(file.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, bare(protodesc.ToFileDescriptorProto(file)))
	}
	for _, root := range roots {
		add(root)
	}
	out, err := proto.Marshal(set)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(out); err != nil {
		log.Fatal(err)
	}
}

// Without options: they are for validators and other generators. That a message is the entry of a map is part of the type.
func bare(file *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	file.Options = nil
	for _, message := range file.MessageType {
		bareMessage(message)
	}
	for _, enum := range file.EnumType {
		bareEnum(enum)
	}
	for _, service := range file.Service {
		service.Options = nil
		for _, method := range service.Method {
			method.Options = nil
		}
	}
	return file
}

func bareMessage(message *descriptorpb.DescriptorProto) {
	if message.Options.GetMapEntry() {
		message.Options = &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}
	} else {
		message.Options = nil
	}
	for _, field := range message.Field {
		field.Options = nil
	}
	for _, oneof := range message.OneofDecl {
		oneof.Options = nil
	}
	for _, enum := range message.EnumType {
		bareEnum(enum)
	}
	for _, nested := range message.NestedType {
		bareMessage(nested)
	}
}

func bareEnum(enum *descriptorpb.EnumDescriptorProto) {
	enum.Options = nil
	for _, value := range enum.Value {
		value.Options = nil
	}
}
