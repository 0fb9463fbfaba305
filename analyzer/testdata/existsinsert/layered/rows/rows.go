// Package rows is written over interfaces whose rows have tables in the files of the schema.
package rows

import (
	"context"
	"errors"
)

var (
	ErrNotFound = errors.New("not found")
	ErrTaken    = errors.New("there already")
)

// Voucher is a row of vouchers, whose reference is unique.
type Voucher struct{ ID, Reference string }

// Ticket is a row of tickets, whose serial is not.
type Ticket struct{ ID, Serial string }

// Purse is a row of purses.
type Purse struct{ ID, User, Currency string }

type VoucherRepository interface {
	FindByReference(ctx context.Context, reference string) (*Voucher, error)
	CountByReference(ctx context.Context, reference string) (int64, error)
	Create(ctx context.Context, voucher *Voucher) error
}

type TicketRepository interface {
	FindBySerial(ctx context.Context, serial string) (*Ticket, error)
	FindByColour(ctx context.Context, colour string) (*Ticket, error)
	Create(ctx context.Context, ticket *Ticket) error
}

type PurseRepository interface {
	GetByUserAndCurrency(ctx context.Context, user, currency, kind string) (*Purse, error)
	Create(ctx context.Context, purse *Purse) error
}

type Desk struct {
	vouchers VoucherRepository
	tickets  TicketRepository
	purses   PurseRepository
}

// fine: vouchers has a unique reference; what is left is an error that the repository may tell apart.
func (d *Desk) Issue(ctx context.Context, voucher *Voucher) error {
	found, err := d.vouchers.FindByReference(ctx, voucher.Reference)
	if err != nil {
		return err
	}
	if found != nil {
		return ErrTaken
	}
	return d.vouchers.Create(ctx, voucher)
}

// bug: tickets has no rule on its serial.
func (d *Desk) Print(ctx context.Context, ticket *Ticket) error {
	_, err := d.tickets.FindBySerial(ctx, ticket.Serial)
	if err == nil {
		return ErrTaken
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	return d.tickets.Create(ctx, ticket) // want `Ticket is looked up by serial .*no unique index covers serial \(tickets is declared at existsinsert/schema/migrations/0004_behind_interfaces.up.sql:5\)`
}

// bug: tickets of the files has no colour, so it is another table, and nothing is known of this one.
func (d *Desk) Paint(ctx context.Context, ticket *Ticket, colour string) error {
	found, err := d.tickets.FindByColour(ctx, colour)
	if err != nil {
		return err
	}
	if found == nil {
		return d.tickets.Create(ctx, ticket) // want `Ticket is looked up by colour .*nothing in view keeps two callers apart`
	}
	return nil
}

// fine: the method's name tells two of the three columns of the unique rule, and says user for user_id.
func (d *Desk) Open(ctx context.Context, purse *Purse) error {
	found, err := d.purses.GetByUserAndCurrency(ctx, purse.User, purse.Currency, "cash")
	if err != nil {
		return err
	}
	if found != nil {
		return ErrTaken
	}
	return d.purses.Create(ctx, purse)
}

// fine: a number tells no type; the row that is inserted does.
func (d *Desk) IssueCounted(ctx context.Context, voucher *Voucher) error {
	n, err := d.vouchers.CountByReference(ctx, voucher.Reference)
	if err != nil {
		return err
	}
	if n > 0 {
		return ErrTaken
	}
	return d.vouchers.Create(ctx, voucher)
}

// Share has a table of its own name, and its rules in tags.
type Share struct {
	ID        uint   `gorm:"primarykey"`
	PartnerID uint   `gorm:"not null;uniqueIndex:share_of"`
	OrderID   uint   `gorm:"not null;uniqueIndex:share_of"`
	Kind      string `gorm:"not null;uniqueIndex:share_of"`
	Colour    string `gorm:"not null"`
}

func (Share) TableName() string { return "partner_shares" }

type ShareRepository interface {
	GetByOrderAndPartner(order, partner uint, kind string) (*Share, error)
	GetByColour(colour string) (*Share, error)
	Create(share *Share) error
}

// fine: the tags have a unique rule over what the name tells and one column more.
func Divide(shares ShareRepository, share *Share) error {
	found, err := shares.GetByOrderAndPartner(share.OrderID, share.PartnerID, share.Kind)
	if err != nil || found != nil {
		return err
	}
	return shares.Create(share)
}

// bug: no rule over the colour.
func Paint(shares ShareRepository, share *Share) error {
	found, err := shares.GetByColour(share.Colour)
	if err != nil || found != nil {
		return err
	}
	return shares.Create(share) // want `Share is looked up by colour .*no unique index covers colour \(Share is declared at existsinsert/layered/rows/rows.go:\d+\)`
}
