// Package dynamo shows what the calls of DynamoDB's client do to stores.
package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type api interface {
	GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

const payments = "Payments"

type Store struct {
	client *dynamodb.Client
	api    api
	table  string
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func (s *Store) reads(ctx context.Context, id string) {
	s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("payments"), Key: map[string]types.AttributeValue{"PK": text(id)}}) // want `^read payments by pk over client$`
	s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(payments), Key: map[string]types.AttributeValue{"pk": text(id)}})      // want `^read payments by pk over client$`
	s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: map[string]types.AttributeValue{"pk": text(id)}})               // want `^read Store.table by pk over client$`
	s.client.Query(ctx, &dynamodb.QueryInput{                                                                                              // want `^read payments by ref over client$`
		TableName:                aws.String(payments),
		KeyConditionExpression:   aws.String("#r = :r AND begins_with(sk, :p)"),
		ExpressionAttributeNames: map[string]string{"#r": "ref"},
	})
}

func (s *Store) writes(ctx context.Context, id string) {
	item := map[string]types.AttributeValue{"pk": text(id), "amount": text("1")}
	s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(payments), Item: item})                                                              // want `^insert payments \(pk,amount\) over client$`
	s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(payments), Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)")}) // want `^insert payments \(pk,amount\) over client, on-conflict result-read$`
	input := &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: item}
	input.ConditionExpression = aws.String("attribute_not_exists(pk)")
	s.api.PutItem(ctx, input)                                                                                                                  // want `^insert Store.table \(pk,amount\) over client, on-conflict result-read$`
	s.api.PutItem(ctx, put(id))                                                                                                                // want `^insert payments \(pk\) over client, on-conflict result-read$`
	s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String(payments), Key: map[string]types.AttributeValue{"pk": text(id)}}) // want `^update payments by pk over client$`
	s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{                               // want `^insert keys \(pk\) over client, on-conflict result-read$` `^insert payments \(pk\) over client, on-conflict result-read$`
		{Put: &types.Put{TableName: aws.String("keys"), Item: map[string]types.AttributeValue{"pk": text(id)}, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		{Put: &types.Put{TableName: aws.String(payments), Item: map[string]types.AttributeValue{"pk": text(id)}}},
	}})
}

func put(id string) *dynamodb.PutItemInput {
	return &dynamodb.PutItemInput{
		TableName:           aws.String(payments),
		Item:                map[string]types.AttributeValue{"pk": text(id)},
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
}
