// Package ports is written over interfaces whose implementations are out of view.
package ports

import (
	"context"
	"errors"

	"example.com/idemvet/existsinsert/layered/domain"
)

type OrderRepository interface {
	FindByReference(ctx context.Context, reference string) (*domain.Order, error)
	ExistsByReference(ctx context.Context, reference string) (bool, error)
	CountByReference(ctx context.Context, reference string) (int, error)
	Create(ctx context.Context, order *domain.Order) error
	Update(ctx context.Context, order *domain.Order) error
}

type ReceiptRepository interface {
	FindByOrder(ctx context.Context, order string) (*domain.Receipt, error)
	Create(ctx context.Context, receipt *domain.Receipt) error
}

type Mailer interface {
	Create(ctx context.Context, order *domain.Order) error
}

type Service struct {
	orders   OrderRepository
	receipts ReceiptRepository
	mailer   Mailer
}

// bug: names say what the methods do, and both are about orders.
func (s *Service) Place(ctx context.Context, order *domain.Order) error {
	_, err := s.orders.FindByReference(ctx, order.Reference)
	if err == nil {
		return domain.ErrDuplicate
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	return s.orders.Create(ctx, order) // want `Order is looked up by reference`
}

// bug: nil stands for nothing found.
func (s *Service) PlaceNil(ctx context.Context, reference string) error {
	existing, err := s.orders.FindByReference(ctx, reference)
	if err != nil {
		return err
	}
	if existing == nil {
		return s.orders.Create(ctx, &domain.Order{Reference: reference}) // want `Order is looked up by reference`
	}
	return nil
}

// fine: another entity.
func (s *Service) OtherEntity(ctx context.Context, order *domain.Order) error {
	_, err := s.receipts.FindByOrder(ctx, order.ID)
	if errors.Is(err, domain.ErrNotFound) {
		return s.orders.Create(ctx, order)
	}
	return err
}

// fine: a mailer is no store.
func (s *Service) Mails(ctx context.Context, order *domain.Order) error {
	_, err := s.orders.FindByReference(ctx, order.Reference)
	if errors.Is(err, domain.ErrNotFound) {
		return s.mailer.Create(ctx, order)
	}
	return err
}

// fine: the caller of Create looks for the sentinel that says duplicate.
func (s *Service) Translated(ctx context.Context, order *domain.Order) error {
	_, err := s.orders.FindByReference(ctx, order.Reference)
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	err = s.orders.Create(ctx, order)
	if errors.Is(err, domain.ErrDuplicate) {
		return nil
	}
	return err
}

// fine: found means update, not found means an error.
func (s *Service) Updates(ctx context.Context, reference string, cents int64) error {
	order, err := s.orders.FindByReference(ctx, reference)
	if err != nil {
		return err
	}
	order.Cents = cents
	return s.orders.Update(ctx, order)
}

// bug: a bool, which tells no entity; the repository is the same.
func (s *Service) PlaceExists(ctx context.Context, order *domain.Order) error {
	exists, err := s.orders.ExistsByReference(ctx, order.Reference)
	if err != nil {
		return err
	}
	if exists {
		return domain.ErrDuplicate
	}
	return s.orders.Create(ctx, order) // want `Order is looked up by reference`
}

// bug: a number.
func (s *Service) PlaceCounted(ctx context.Context, order *domain.Order) error {
	n, err := s.orders.CountByReference(ctx, order.Reference)
	if err != nil {
		return err
	}
	if n == 0 {
		return s.orders.Create(ctx, order) // want `Order is looked up by reference`
	}
	return nil
}

// fine: another repository's bool.
func (s *Service) ReceiptForOrder(ctx context.Context, order *domain.Order) error {
	exists, err := s.orders.ExistsByReference(ctx, order.Reference)
	if err != nil || exists {
		return err
	}
	return s.receipts.Create(ctx, &domain.Receipt{Order: order.ID})
}

// JournalStore is kept in memory: its methods cannot fail, but for those that are refused.
type JournalStore interface {
	HasRequest(id string) bool
	AddRequest(id string, order *domain.Order) (*domain.Order, error)
}

// fine: what cannot fail asks no database.
func Attach(journal JournalStore, id string, order *domain.Order) error {
	if journal.HasRequest(id) {
		return nil
	}
	_, err := journal.AddRequest(id, order)
	return err
}

type ClaimingRepository interface {
	FindByReference(ctx context.Context, reference string) (*domain.Order, error)
	Reserve(ctx context.Context, reference string) error
	Create(ctx context.Context, order *domain.Order) error
}

// fine: nobody knows what Reserve does, but that it stands between look and insert.
func Reserved(ctx context.Context, orders ClaimingRepository, order *domain.Order) error {
	found, err := orders.FindByReference(ctx, order.Reference)
	if err != nil || found != nil {
		return err
	}
	if err := orders.Reserve(ctx, order.Reference); err != nil {
		return err
	}
	return orders.Create(ctx, order)
}
