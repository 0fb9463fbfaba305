// Package dynamodb looks and puts through DynamoDB's client.
package dynamodb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const keys = "idempotency-keys"

// API is the part of the client that tests replace.
type API interface {
	GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

type Store struct {
	client *dynamodb.Client
	api    API
	table  string
}

var ErrTaken = errors.New("taken")

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func keyOf(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(id)}
}

// bug: no Item, then PutItem.
func (s *Store) EmptyItemPut(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(keys), Key: map[string]types.AttributeValue{"pk": text(id)}})
	if err != nil {
		return err
	}
	if out.Item != nil {
		return ErrTaken
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(keys), Item: map[string]types.AttributeValue{"pk": text(id), "state": text("done")}}) // want `idempotency-keys is looked up by pk`
	return err
}

// bug: len of the item, through a house's interface, the table's name in a field.
func (s *Store) LengthPut(ctx context.Context, id string) error {
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if len(out.Item) > 0 {
		return ErrTaken
	}
	_, err = s.api.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: keyOf(id)}) // want `is looked up`
	return err
}

// bug: a consistent read changes nothing.
func (s *Store) ConsistentRead(ctx context.Context, id string) error {
	get := &dynamodb.GetItemInput{TableName: &s.table, Key: map[string]types.AttributeValue{"pk": text(id)}}
	get.ConsistentRead = aws.Bool(true)
	out, err := s.client.GetItem(ctx, get)
	if err != nil {
		return err
	}
	if out.Item == nil {
		_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: map[string]types.AttributeValue{"pk": text(id)}}) // want `is looked up by pk`
	}
	return err
}

// bug: a query that counts none.
func (s *Store) QueryPut(ctx context.Context, ref string) error {
	out, err := s.client.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("payments"), IndexName: aws.String("by-reference"), KeyConditionExpression: aws.String("reference = :r")})
	if err != nil {
		return err
	}
	if out.Count > 0 {
		return ErrTaken
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("payments"), Item: map[string]types.AttributeValue{"id": text("new"), "reference": text(ref)}}) // want `payments is looked up by reference`
	return err
}

// bug: the put stands in the branch of an empty list.
func (s *Store) NoItemsPut(ctx context.Context, ref string) error {
	out, err := s.client.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("payments"), KeyConditionExpression: aws.String("reference = :r")})
	if err != nil {
		return err
	}
	if len(out.Items) == 0 {
		_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("payments"), Item: map[string]types.AttributeValue{"reference": text(ref)}}) // want `payments is looked up by reference`
		return err
	}
	return nil
}

// fine: the put has a condition.
func (s *Store) Conditional(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(keys), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if out.Item != nil {
		return ErrTaken
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(keys), Item: keyOf(id), ConditionExpression: aws.String("attribute_not_exists(pk)")})
	return err
}

// fine: the condition comes from a builder, and its failure is told apart.
func (s *Store) BuiltCondition(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(keys), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if len(out.Item) != 0 {
		return ErrTaken
	}
	built, err := expression.NewBuilder().WithCondition(expression.AttributeNotExists(expression.Name("pk"))).Build()
	if err != nil {
		return err
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(keys), Item: keyOf(id), ConditionExpression: built.Condition(), ExpressionAttributeNames: built.Names()})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return ErrTaken
	}
	return err
}

// fine: one transaction with a condition that undoes all of it.
func (s *Store) Transact(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("payments"), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if out.Item != nil {
		return ErrTaken
	}
	_, err = s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String(keys), Item: keyOf(id), ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		{Put: &types.Put{TableName: aws.String("payments"), Item: keyOf(id)}},
	}})
	return err
}

// fine: one table is looked at, another is written.
func (s *Store) OtherTable(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("tenants"), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if out.Item == nil {
		_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("audit"), Item: keyOf(id)})
	}
	return err
}

// fine: only what is there is written again.
func (s *Store) OnlyWhenThere(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(keys), Key: keyOf(id)})
	if err != nil {
		return err
	}
	if out.Item == nil {
		return errors.New("no such key")
	}
	out.Item["state"] = text("done")
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(keys), Item: out.Item})
	return err
}

// fine: an update is an upsert of its own.
func (s *Store) Update(ctx context.Context, id string) error {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(keys), Key: keyOf(id)})
	if err != nil || out.Item != nil {
		return err
	}
	_, err = s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String(keys), Key: keyOf(id), UpdateExpression: aws.String("ADD attempts :one")})
	return err
}
