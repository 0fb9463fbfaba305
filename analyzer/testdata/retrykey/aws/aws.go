// Package aws has calls of the SDK for AWS, whose tokens it fills in itself where they are left out.
package aws

import (
	"context"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/google/uuid"
)

// bug: each turn starts a task of its own.
func run(ctx context.Context, client *ecs.Client, definition string) (err error) {
	for attempt := 1; attempt <= 3; attempt++ {
		_, err = client.RunTask(ctx, &ecs.RunTaskInput{
			TaskDefinition: aws.String(definition),
			ClientToken:    aws.String(uuid.NewString()), // want "minted"
		})
		if err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// fine: the input is made once.
func runOnce(ctx context.Context, client *ecs.Client, definition string) (err error) {
	input := &ecs.RunTaskInput{TaskDefinition: aws.String(definition), ClientToken: aws.String(uuid.NewString())}
	for attempt := 1; attempt <= 3; attempt++ {
		if _, err = client.RunTask(ctx, input); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// bug: the token of a transaction has to be the same for ten minutes to be of use.
func write(ctx context.Context, client *dynamodb.Client, items []types.TransactWriteItem) error {
	return retry.Do(func() error {
		input := &dynamodb.TransactWriteItemsInput{TransactItems: items}
		input.ClientRequestToken = aws.String(uuid.NewString()) // want "minted"
		_, err := client.TransactWriteItems(ctx, input)
		return err
	}, retry.Context(ctx))
}

// fine: the token comes with the order.
func writeOrder(ctx context.Context, client *dynamodb.Client, order string, items []types.TransactWriteItem) error {
	return retry.Do(func() error {
		_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: &order})
		return err
	}, retry.Context(ctx))
}

// fine: a page after a page, each a request of its own.
func services(ctx context.Context, client *ecs.Client, cluster string) (arns []string, err error) {
	input := &ecs.ListServicesInput{Cluster: aws.String(cluster)}
	for {
		page, err := client.ListServices(ctx, input)
		if err != nil {
			return nil, err
		}
		arns = append(arns, page.ServiceArns...)
		if page.NextToken == nil {
			return arns, nil
		}
		input.NextToken = page.NextToken
	}
}

// fine: a task for each definition.
func runAll(ctx context.Context, client *ecs.Client, definitions []string) error {
	for _, definition := range definitions {
		_, err := client.RunTask(ctx, &ecs.RunTaskInput{TaskDefinition: &definition, ClientToken: aws.String(uuid.NewString())})
		if err != nil {
			return err
		}
	}
	return nil
}
