// Package service is written over the repositories.
package service

import (
	"context"
	"errors"

	"example.com/idemvet/existsinsert/layered/domain"
	"example.com/idemvet/existsinsert/layered/store"
)

type Service struct {
	orders   *store.Orders
	receipts *store.Receipts
	all      store.Store
}

// bug: look and insert are methods of a repository in another package.
func (s *Service) Place(ctx context.Context, order *domain.Order) error {
	_, err := s.orders.FindByReference(ctx, order.Reference)
	if err == nil {
		return domain.ErrDuplicate
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return s.orders.Create(ctx, order) // want `lay_orders is looked up by reference`
}

// bug: a bool of the repository's.
func (s *Service) PlaceUnlessThere(ctx context.Context, order *domain.Order) error {
	found, err := s.orders.Exists(ctx, order.Reference)
	if err != nil {
		return err
	}
	if !found {
		return s.orders.Create(ctx, order) // want `lay_orders is looked up by reference`
	}
	return nil
}

// bug: through a struct that holds the repositories.
func (s *Service) PlaceDeep(ctx context.Context, order *domain.Order) error {
	existing, err := s.all.Orders.FindByReference(ctx, order.Reference)
	if err != nil && err != domain.ErrNotFound {
		return err
	}
	if existing != nil {
		return nil
	}
	return s.all.Orders.Create(ctx, order) // want `lay_orders is looked up by reference`
}

func (s *Service) lookup(ctx context.Context, reference string) (*domain.Order, bool, error) {
	order, err := s.orders.FindByReference(ctx, reference)
	if errors.Is(err, domain.ErrNotFound) {
		return nil, false, nil
	}
	return order, err == nil, err
}

func (s *Service) write(ctx context.Context, order *domain.Order) error {
	return s.orders.Create(ctx, order)
}

// bug: three steps from the statement on either side.
func (s *Service) PlaceThreeDeep(ctx context.Context, order *domain.Order) error {
	_, ok, err := s.lookup(ctx, order.Reference)
	if err != nil {
		return err
	}
	if ok {
		return nil
	}
	return s.write(ctx, order) // want `lay_orders is looked up by reference`
}

// fine: the repository tells the violation apart.
func (s *Service) PlaceOnce(ctx context.Context, order *domain.Order) error {
	_, err := s.orders.FindByReference(ctx, order.Reference)
	if err == nil {
		return domain.ErrDuplicate
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return s.orders.CreateOnce(ctx, order)
}

// fine: a receipt is no order.
func (s *Service) Receipt(ctx context.Context, reference string) error {
	_, err := s.orders.FindByReference(ctx, reference)
	if errors.Is(err, domain.ErrNotFound) {
		return s.receipts.Create(ctx, &domain.Receipt{Order: reference})
	}
	return err
}

// fine: an order that exists is copied.
func (s *Service) Copy(ctx context.Context, reference, to string) error {
	order, err := s.orders.FindByReference(ctx, reference)
	if err != nil {
		return err
	}
	return s.orders.Create(ctx, &domain.Order{Reference: to, Cents: order.Cents})
}

// fine: PlaceOnce looks for itself, and is judged where it stands.
func (s *Service) LooksTwice(ctx context.Context, order *domain.Order) error {
	found, err := s.orders.Exists(ctx, order.Reference)
	if err != nil || found {
		return err
	}
	return s.PlaceOnce(ctx, order)
}

func (s *Service) PlaceLooking(ctx context.Context, order *domain.Order) error {
	found, err := s.orders.Exists(ctx, order.Reference)
	if err != nil || found {
		return err
	}
	return s.orders.Create(ctx, order) // want `lay_orders is looked up by reference`
}

// fine: PlaceLooking is told of itself; one finding is enough.
func (s *Service) ToldOnce(ctx context.Context, order *domain.Order) error {
	found, err := s.orders.Exists(ctx, order.Reference)
	if err != nil || found {
		return err
	}
	return s.PlaceLooking(ctx, order)
}
