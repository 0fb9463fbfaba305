// Package terraform has what providers for Terraform do: calls of a cloud in the retries of the plugin SDK, with the parameters in a map.
package terraform

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsecs "github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/id"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
)

type cloud struct{}

func (*cloud) post(action string, request map[string]any) (map[string]any, error) {
	return map[string]any{"Id": action}, nil
}

func token(action string) string {
	text := strings.TrimSpace(fmt.Sprintf("TF-%s-%d-%s", action, time.Now().Unix(), strings.Trim(uuid.New().String(), "-")))
	if len(text) > 64 {
		text = text[0:64]
	}
	return text
}

// bug: a gateway for each try.
func create(client *cloud, request map[string]any) error {
	return resource.Retry(time.Minute, func() *resource.RetryError {
		request["ClientToken"] = token("CreateVpnGateway") // want "minted"
		if _, err := client.post("CreateVpnGateway", request); err != nil {
			return resource.RetryableError(err)
		}
		return nil
	})
}

// bug: the token is set after the call, so the second try has another than the first, and the third another still.
func createThenToken(client *cloud, request map[string]any) error {
	return resource.Retry(time.Minute, func() *resource.RetryError {
		_, err := client.post("CreateVpnGateway", request)
		request["ClientToken"] = token("CreateVpnGateway") // want "minted"
		if err != nil {
			return resource.RetryableError(err)
		}
		return nil
	})
}

// bug: the parameters are made anew, and their token with them.
func createLiteral(ctx context.Context, client *cloud) error {
	return retry.RetryContext(ctx, time.Minute, func() *retry.RetryError {
		_, err := client.post("CreateNatGateway", map[string]any{"RegionId": "eu", "ClientToken": token("CreateNatGateway")}) // want "minted"
		if err != nil {
			return retry.RetryableError(err)
		}
		return nil
	})
}

// fine: the token is made before the retries.
func createOnce(client *cloud, request map[string]any) error {
	request["ClientToken"] = token("CreateVpnGateway")
	return resource.Retry(time.Minute, func() *resource.RetryError {
		if _, err := client.post("CreateVpnGateway", request); err != nil {
			return resource.RetryableError(err)
		}
		return nil
	})
}

// fine: a call for each of several parts, each with a token for all its tries.
func createEach(client *cloud, parts []string) error {
	for _, part := range parts {
		request := map[string]any{"Part": part, "ClientToken": token("CreatePart")}
		err := resource.Retry(time.Minute, func() *resource.RetryError {
			if _, err := client.post("CreatePart", request); err != nil {
				return resource.RetryableError(err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bug: a typed request, with the SDK's own id.
func createDisk(client *ecs.Client, name string) error {
	return resource.Retry(time.Minute, func() *resource.RetryError {
		request := ecs.CreateCreateDiskRequest()
		request.DiskName = name
		request.ClientToken = resource.PrefixedUniqueId("disk-") // want "minted"
		if _, err := client.CreateDisk(request); err != nil {
			return resource.RetryableError(err)
		}
		return nil
	})
}

// fine: the request is made, and given its token, around the retries.
func createDiskOnce(client *ecs.Client, name string) error {
	request := ecs.CreateCreateDiskRequest()
	request.DiskName, request.ClientToken = name, id.UniqueId()
	return resource.Retry(time.Minute, func() *resource.RetryError {
		if _, err := client.CreateDisk(request); err != nil {
			return resource.RetryableError(err)
		}
		return nil
	})
}

// bug: the input is built by a function that the retries call.
func runTask(ctx context.Context, client *awsecs.Client, definition string) error {
	return retry.RetryContext(ctx, time.Minute, func() *retry.RetryError {
		_, err := client.RunTask(ctx, taskInput(definition)) // want "mints"
		if err != nil {
			return retry.RetryableError(err)
		}
		return nil
	})
}

func taskInput(definition string) *awsecs.RunTaskInput {
	return &awsecs.RunTaskInput{TaskDefinition: &definition, ClientToken: aws.String(id.UniqueId())}
}

// session has the token of a login, which other SDKs call so too.
type session struct{ ClientToken string }

// fine: a login has a token of its own each time, which is no key.
func login(ctx context.Context, open func(session) error) error {
	return retry.RetryContext(ctx, time.Minute, func() *retry.RetryError {
		if err := open(session{ClientToken: uuid.NewString()}); err != nil {
			return retry.RetryableError(err)
		}
		return nil
	})
}
