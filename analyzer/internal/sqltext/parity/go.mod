module github.com/idemgen/idemgen/analyzer/internal/sqltext/parity

go 1.25.0

require (
	github.com/idemgen/idemgen v0.0.0
	github.com/pganalyze/pg_query_go/v6 v6.2.2
	github.com/wasilibs/go-pgquery v0.0.0-20260728010200-155ebad2880e
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	github.com/wasilibs/wazero-helpers v0.0.0-20250123031827-cd30c44769bb // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/idemgen/idemgen => ../../../..
