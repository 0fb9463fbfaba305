package migration

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/templates"
)

// Generate returns the migrations that doc needs and the target folder lacks: the open steps of the keys table, then the
// missing guards whose tables ([KnownTables]) and columns are known, then the tool's checksum file if it keeps one. Nothing
// is returned for a document without keyed operations, nor on a second run over a folder that holds the first run's files.
//
// The list holds what is wrong with the folder or the guards; where it has an error, files that do not depend on it are
// returned all the same. The error is about the options.
func Generate(doc *policy.Document, o Options) ([]output.File, diag.List, error) {
	r, err := newRun(o)
	if err != nil {
		return nil, nil, err
	}
	guards, findings := collectGuards(doc)
	migrations, others := migrationsIn(r.format, o.Existing)
	found, changed := readIssued(o.Dir, migrations)
	findings = append(findings, changed...)
	findings = append(findings, removed(found, guards)...)
	if len(doc.Keyed()) == 0 {
		return nil, findings.Sorted(), nil
	}
	r.foreign(others)
	r.guardsBeforeTables(guards, found, migrations)

	r.counter, err = newCounter(r.format, o.Existing, o.Now)
	if err != nil {
		// The folder is not one that the tool would accept; nothing can be added to it.
		hint := "mend the folder, or choose another format"
		var two *collision
		if errors.As(err, &two) {
			hint = "give the one that was applied nowhere yet the next free number; a file of idemgen's may be renamed, as long as its content stays"
		}
		findings = append(findings, r.about("migration-number", err.Error(), hint))
		return nil, findings.Sorted(), nil
	}
	if err := r.schema(found); err != nil {
		return nil, nil, err
	}
	if tables, all := KnownTables(doc, o); !all {
		guards = ready(guards, tables)
	}
	guards = r.columnsKnown(guards, found)
	for _, g := range guards {
		if _, ok := found.guards[g.Constraint]; ok {
			continue
		}
		_, indexed := found.indexes[g.Constraint]
		if err := r.guard(g, indexed); err != nil {
			return nil, nil, err
		}
	}
	r.sum()
	return r.files, append(findings, r.findings...).Sorted(), nil
}

// run is one generation on its way.
type run struct {
	Options
	format   format
	dialect  dialect
	counter  *counter
	files    []output.File
	findings diag.List
}

func newRun(o Options) (*run, error) {
	f, ok := findFormat(o.Format)
	if !ok {
		return nil, fmt.Errorf("migrations: there is no format %q; the formats are %s", o.Format, strings.Join(Formats(), ", "))
	}
	if o.Table == "" {
		o.Table = DefaultTable
	}
	if _, _, err := quoteTable(o.Table); err != nil {
		return nil, fmt.Errorf("migrations: the keys table: %w", err)
	}
	d, ok := findDialect(o.Dialect)
	if !ok {
		return nil, fmt.Errorf("migrations: there is no dialect %q; the dialects are %s", o.Dialect, strings.Join(Dialects(), ", "))
	}
	if o.Guards != "" && o.Guards != AddConstraint && o.Guards != Concurrent {
		return nil, fmt.Errorf("migrations: guards are added by %q or %q, not by %q", AddConstraint, Concurrent, o.Guards)
	}
	if o.Templates == nil {
		set, err := templates.Load(nil)
		if err != nil {
			return nil, err
		}
		o.Templates = set
	}
	return &run{Options: o, format: f, dialect: d}, nil
}

// migrationsIn are the files that the tool runs, in its order, so that a guard dropped later counts as dropped; others are
// the rest.
func migrationsIn(f format, files []Existing) (migrations, others []Existing) {
	for _, file := range files {
		if f.file.MatchString(file.Name) {
			migrations = append(migrations, file)
		} else {
			others = append(others, file)
		}
	}
	version := func(name string) uint64 {
		n, err := strconv.ParseUint(f.file.FindStringSubmatch(name)[1], 10, 64)
		if err != nil {
			return math.MaxUint64 // newCounter reports it
		}
		return n
	}
	slices.SortFunc(migrations, func(a, b Existing) int {
		if va, vb := version(a.Name), version(b.Name); va != vb && !f.lexical {
			return cmp.Compare(va, vb)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return migrations, others
}

// foreign reports files that were issued for another tool: this one does not run them.
func (r *run) foreign(others []Existing) {
	for _, file := range others {
		if marks := markers(path.Join(r.Dir, file.Name), normalise(file.Content)); len(marks) > 0 {
			r.findings = append(r.findings, diag.Diagnostic{
				Pos: marks[0].pos, Rule: "migration-other-tool", Severity: diag.Warning,
				Message: fmt.Sprintf("the migration was issued for another tool, and %s does not run a file of this name; it does not count as issued", r.Format),
				Hint:    "bring the file into the tool's form and write edited in place of its hash, or keep the two tools' folders apart",
			})
		}
	}
}

// SchemaData is what the templates of schema.sql.tmpl are given.
type SchemaData struct {
	Version  int
	Table    string // as configured, not quoted
	Up, Down string // the store's statements; Down may be empty
	// Alone: Up and Down are a statement each and run outside any transaction, where SET LOCAL does nothing.
	Alone bool
}

func (r *run) schema(found issued) error {
	r.otherTables(found)
	for _, step := range r.Steps {
		if step.Version <= found.version[r.Table] {
			continue
		}
		if err := r.step(step); err != nil {
			return err
		}
	}
	if len(r.files) > 0 {
		r.tellStrategy()
	}
	return nil
}

// step issues one step, in one file or, where the dialect's statements stand alone, in several.
func (r *run) step(step Step) error {
	scripts := r.dialect.scripts(step)
	notes := []string{"-- idemgen:" + markTable + " " + r.Table}
	for _, note := range r.dialect.notes {
		notes = append(notes, "-- "+note)
	}
	if len(r.dialect.notes) > 0 {
		notes = append(notes, "-- Open the store by "+r.dialect.strategy+".")
	}
	for i, script := range scripts {
		data := SchemaData{
			Version: step.Version, Table: r.Table, Alone: r.dialect.alone,
			Up: withoutSemicolons(strings.TrimSpace(script.Up)), Down: withoutSemicolons(strings.TrimSpace(script.Down)),
		}
		up, down, err := r.render("schema", data)
		if err != nil {
			return err
		}
		name := "idemgen_schema_" + strconv.Itoa(step.Version)
		if len(scripts) > 1 {
			name += "_" + strconv.Itoa(i+1)
		}
		if err := r.issue(name, markSchema, strconv.Itoa(step.Version), written{up: up, down: down, noTransaction: r.dialect.alone}, notes...); err != nil {
			return err
		}
	}
	return nil
}

// tellStrategy says, when the schema of another database is issued, how the store is to be opened on it.
func (r *run) tellStrategy() {
	if len(r.dialect.notes) == 0 {
		return
	}
	finding := r.about("migration-dialect",
		fmt.Sprintf("the schema was written for %s by its documentation and has not been run against one", r.dialect.name),
		fmt.Sprintf("try the migrations on a database of your own first, and open the store by %s", r.dialect.strategy))
	finding.Severity = diag.Warning
	r.findings = append(r.findings, finding)
}

// otherTables warns when the folder holds a keys table of another name and none of the one configured: after a change of
// the configuration alone, every key would be forgotten.
func (r *run) otherTables(found issued) {
	if _, ok := found.version[r.Table]; ok {
		return
	}
	for _, table := range slices.Sorted(maps.Keys(found.version)) {
		finding := r.about("migration-table",
			fmt.Sprintf("the folder creates the keys table %s, and the configuration names %s: a new table is created and the keys in the old one are not read", table, r.Table),
			fmt.Sprintf("name the old table in the configuration, or rename it in a migration of your own that has the line -- idemgen:%s %s %s", markRenamed, table, r.Table))
		finding.Severity = diag.Warning
		r.findings = append(r.findings, finding)
	}
}

func (r *run) guard(g guard, indexed bool) error {
	data, fault := g.data()
	if fault != "" {
		r.findings = append(r.findings, diag.Diagnostic{
			Pos: g.Pos, Rule: "guard-identifier", Severity: diag.Error, Message: fault,
			Hint: "write the names as the database knows them: table or schema.table, and plain columns",
		})
		return nil
	}
	name := "idemgen_guard_" + strings.TrimPrefix(strings.TrimSuffix(g.Constraint, "_key"), "idemgen_")
	block := "guard"
	if r.dialect.uniqueIndex != "" && !indexed {
		data.UniqueIndex = r.dialect.uniqueIndex
		up, down, err := r.render("guard.unique", data)
		if err != nil {
			return err
		}
		return r.issue(name, markGuard, g.Constraint, written{up: up, down: down, noTransaction: true})
	}
	if r.Guards == Concurrent || indexed {
		block = "guard.attach"
		if !indexed {
			up, down, err := r.render("guard.index", data)
			if err != nil {
				return err
			}
			if err := r.issue(name+"_index", markIndex, g.Constraint, written{up: up, down: down, noTransaction: true}); err != nil {
				return err
			}
		}
	}
	up, down, err := r.render(block, data)
	if err != nil {
		return err
	}
	return r.issue(name, markGuard, g.Constraint, written{up: up, down: down})
}

func (r *run) render(block string, data any) (up, down string, err error) {
	if up, err = r.Templates.Render(block+".up", data); err != nil {
		return "", "", err
	}
	if down, err = r.Templates.Render(block+".down", data); err != nil {
		return "", "", err
	}
	return tidy(up), tidy(down), nil
}

// issue lays a migration out in the tool's files under the next number.
func (r *run) issue(name, kind, mark string, m written, notes ...string) error {
	version, err := r.counter.take()
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	m.base = version + "_" + name
	for i, p := range r.format.write(m) {
		if i == 0 {
			r.checkOrder(p.name)
		}
		r.files = append(r.files, output.File{
			Path: path.Join(r.Dir, p.name), Content: seal(p, kind, mark, notes...), Policy: output.Issued,
		})
	}
	return nil
}

// checkOrder warns, once, where a tool that goes by names would run the new file before another: 10_ sorts before 9_.
func (r *run) checkOrder(name string) {
	var later string
	for _, file := range r.Existing {
		if r.format.file.MatchString(file.Name) {
			later = max(later, file.Name)
		}
	}
	for _, file := range r.files {
		later = max(later, path.Base(file.Path))
	}
	if later < name || slices.ContainsFunc(r.findings, func(d diag.Diagnostic) bool { return d.Rule == ruleOrder }) {
		return
	}
	finding := r.about(ruleOrder,
		fmt.Sprintf("%s sorts before %s by name, and tools that go by names, such as sqlc and Atlas, would run it first", name, later),
		"give the folder's files numbers of one width, with zeros in front")
	if !r.format.lexical {
		finding.Severity = diag.Warning
	}
	r.findings = append(r.findings, finding)
}

const ruleOrder = "migration-order"

// sum returns the tool's checksum file anew, if new files make it stale. A sum that is stale already is left alone:
// whoever changed the folder has to vouch for it.
func (r *run) sum() {
	if r.format.sumFile == "" || len(r.files) == 0 {
		return
	}
	for _, file := range r.Existing {
		if file.Name == r.format.sumFile && string(normalise(file.Content)) != string(atlasSum(r.Existing)) {
			finding := r.about("migration-sum",
				r.format.sumFile+" does not match the folder, so it is not brought up to date",
				"look at what changed and run atlas migrate hash")
			r.findings = append(r.findings, finding)
			return
		}
	}
	all := slices.Clone(r.Existing)
	for _, file := range r.files {
		all = append(all, Existing{Name: path.Base(file.Path), Content: file.Content})
	}
	r.files = append(r.files, output.File{Path: path.Join(r.Dir, r.format.sumFile), Content: atlasSum(all), Policy: output.Shared})
}

// about is a finding on the folder as a whole.
func (r *run) about(rule, message, hint string) diag.Diagnostic {
	return diag.Diagnostic{Pos: policy.Position{File: r.Dir}, Rule: rule, Severity: diag.Error, Message: message, Hint: hint}
}
