// A plugin as its authors would write it in Go, over the library that real hosts and plugins use.
//
// At pre-model-call a transform appends the text of the last message once more; the text "crash" ends the process,
// "fail" is refused. At plan-ready a veto denies. Observers acknowledge. Every call is logged.
package main

import (
	"context"
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	content "github.com/pluggableharness/agent/pkg/content/proto/v1"
	hook "github.com/pluggableharness/agent/pkg/hook/proto/v1"
)

type subscriber struct {
	hook.UnimplementedHookSubscriberServiceServer
	log hclog.Logger
}

func lastText(payload *hook.HookPayload) string {
	messages := payload.GetPreModelCall().GetMessages()
	if len(messages) == 0 {
		return ""
	}
	for _, block := range messages[len(messages)-1].GetContent() {
		return block.GetText().GetText()
	}
	return ""
}

func (s *subscriber) DispatchHook(ctx context.Context, request *hook.DispatchHookRequest) (*hook.DispatchHookResponse, error) {
	_, hasDeadline := ctx.Deadline()
	s.log.Info("asked", "mode", request.GetMode().String(), "deadline", hasDeadline)
	text := lastText(request.GetPayload())
	switch text {
	case "crash":
		os.Exit(3)
	case "fail":
		return nil, status.Error(codes.FailedPrecondition, "told to fail")
	}
	response := &hook.DispatchHookResponse{}
	switch request.GetMode() {
	case hook.HookMode_HOOK_MODE_OBSERVE:
		response.Outcome = &hook.DispatchHookResponse_Observe{Observe: &hook.DispatchHookResponse_ObserveAck{}}
	case hook.HookMode_HOOK_MODE_TRANSFORM:
		payload := proto.Clone(request.GetPayload()).(*hook.HookPayload)
		if call := payload.GetPreModelCall(); call != nil {
			call.Messages = append(call.Messages, &content.Message{
				Role: content.Role_ROLE_USER,
				Content: []*content.ContentBlock{
					{Block: &content.ContentBlock_Text{Text: &content.TextBlock{Text: text}}},
				},
			})
		}
		response.Outcome = &hook.DispatchHookResponse_Transform{
			Transform: &hook.DispatchHookResponse_TransformResult{Payload: payload},
		}
	case hook.HookMode_HOOK_MODE_VETO:
		response.Outcome = &hook.DispatchHookResponse_Veto{
			Veto: &hook.DispatchHookResponse_VetoResult{Decision: hook.HookDecision_HOOK_DECISION_DENY},
		}
	}
	return response, nil
}

type hookPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	log hclog.Logger
}

func (p *hookPlugin) GRPCServer(broker *plugin.GRPCBroker, server *grpc.Server) error {
	hook.RegisterHookSubscriberServiceServer(server, &subscriber{log: p.log})
	return nil
}

func (p *hookPlugin) GRPCClient(ctx context.Context, broker *plugin.GRPCBroker, conn *grpc.ClientConn) (interface{}, error) {
	return nil, nil
}

func main() {
	log := hclog.New(&hclog.LoggerOptions{Name: "go plugin", JSONFormat: true, Output: os.Stderr})
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion:  1,
			MagicCookieKey:   "PLUGGABLEHARNESS_AGENT_PLUGIN",
			MagicCookieValue: "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake",
		},
		Plugins:    plugin.PluginSet{"provider": &hookPlugin{log: log}},
		GRPCServer: plugin.DefaultGRPCServer,
	})
}
