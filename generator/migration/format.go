package migration

import (
	"regexp"
	"strings"
)

// format is how one migration tool wants its files. Adding a tool is adding a value here.
type format struct {
	name string
	// file matches the names the tool takes for migrations; its first group is the version.
	file *regexp.Regexp
	// width is how many digits a version has when the folder does not tell.
	width int
	// gapless tools count from 1 without a hole and without timestamps.
	gapless bool
	// lexical tools run files in the order of their names, not of their numbers.
	lexical bool
	// shared tools run every file, whatever others have its number.
	shared bool
	// write lays out one migration.
	write func(m written) []part
	// sumFile names the tool's checksum file, if it keeps one.
	sumFile string
}

// written is a migration on its way into files.
type written struct {
	// base is VERSION_NAME.
	base     string
	up, down string
	// noTransaction asks the tool to run up and down outside any transaction. Each is a single statement then, since
	// several in one message are a transaction of their own.
	noTransaction bool
}

// part is one file of a migration, before its marker is put in.
type part struct {
	name string
	// directives stand at the very top; the marker follows them.
	directives string
	body       string
}

// Formats returns the names of the supported formats, in the order they are documented.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

func findFormat(name string) (format, bool) {
	for _, f := range formats {
		if f.name == name {
			return f, true
		}
	}
	return format{}, false
}

var formats = []format{
	{
		// plain files are run by hand or by a script: psql -v ON_ERROR_STOP=1 -f FILE.
		name: "plain", file: regexp.MustCompile(`^(\d+)_.+\.sql$`), width: 5, shared: true,
		write: func(m written) []part {
			return []part{
				{name: m.base + ".sql", body: inTransaction(m.up, m.noTransaction)},
				{name: m.base + ".down.sql", body: inTransaction(m.down, m.noTransaction)},
			}
		},
	},
	{
		// https://pressly.github.io/goose/documentation/annotations/
		name: "goose", file: regexp.MustCompile(`^(\d+)_.+\.(?:sql|go)$`), width: 5,
		write: func(m written) []part {
			directives := ""
			if m.noTransaction {
				directives = "-- +goose NO TRANSACTION\n"
			}
			return []part{{name: m.base + ".sql", directives: directives, body: "-- +goose Up\n" + m.up + "\n-- +goose Down\n" + m.down}}
		},
	},
	{
		// https://github.com/golang-migrate/migrate/blob/master/MIGRATIONS.md. The driver sends a file in one message,
		// which PostgreSQL runs as one transaction; an own BEGIN would leave a failed one open.
		name: "golang-migrate", file: regexp.MustCompile(`^(\d+)_.*\.(?:down|up)\..*$`), width: 6,
		write: func(m written) []part {
			return []part{
				{name: m.base + ".up.sql", body: m.up},
				{name: m.base + ".down.sql", body: m.down},
			}
		},
	},
	{
		// https://github.com/jackc/tern. A file is a text/template of its own, so braces are escaped.
		name: "tern", file: regexp.MustCompile(`^(\d+)_.+\.sql$`), width: 3, gapless: true,
		write: func(m written) []part {
			const disable = "---- tern: disable-tx ----\n"
			up, down := ternEscape(m.up), ternEscape(m.down)
			directives := ""
			if m.noTransaction {
				// Asked of each half on its own.
				directives, down = disable, disable+down
			}
			return []part{{
				name: m.base + ".sql", directives: directives,
				body: up + "\n---- create above / drop below ----\n\n" + down,
			}}
		},
	},
	{
		// https://github.com/amacneil/dbmate#creating-migrations
		name: "dbmate", file: regexp.MustCompile(`^(\d+).*\.sql$`), width: 5,
		write: func(m written) []part {
			option := ""
			if m.noTransaction {
				option = " transaction:false"
			}
			return []part{{
				name: m.base + ".sql",
				body: "-- migrate:up" + option + "\n" + m.up + "\n-- migrate:down" + option + "\n" + m.down,
			}}
		},
	},
	{
		// https://atlasgo.io/concepts/migration-directory-integrity. Atlas plans the way down from the schema itself.
		name: "atlas", file: regexp.MustCompile(`^(\d+).*\.sql$`), width: 5, lexical: true, sumFile: atlasSumName,
		write: func(m written) []part {
			directives := ""
			if m.noTransaction {
				// Directives end at the first empty line.
				directives = "-- atlas:txmode none\n\n"
			}
			return []part{{name: m.base + ".sql", directives: directives, body: m.up}}
		},
	},
}

func inTransaction(sql string, not bool) string {
	if not {
		return sql
	}
	return "BEGIN;\n\n" + sql + "\nCOMMIT;\n"
}

// ternEscape keeps text/template from reading SQL as its own.
func ternEscape(sql string) string {
	return strings.ReplaceAll(sql, "{{", `{{"{{"}}`)
}
