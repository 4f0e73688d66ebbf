/**
 * The types of the exports, which stand alone: a user has none of the packages in the bundle. Most files that declare a public type also
 * declare internal ones, with types of these packages, so only the declarations that the exports use are copied.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** In the place of a name: the whole file. */
const all = '*'

/** A statement of a declaration file, with the comment before it. */
interface Statement {
  readonly text: string
  /** What it declares: one name, or several constants. */
  readonly declared: readonly string[]
  /** The file or package that it imports from or exports again. */
  readonly from: string | undefined
  /** By the name in this file: the name in the other one, or `all`. */
  readonly names: ReadonlyMap<string, string>
  readonly isExported: boolean
}

/** Declaration files of TypeScript begin each statement, and nothing else, at the start of a line. */
const start = /^(?=import |export |declare |interface |type |class |const |function |\/\*\*)/m
const declaration =
  /^(?:export )?(?:declare )?(?:abstract )?(interface|type|class|const|let|function|enum) ([\w$]+)/m
const importedType = /\bimport\((['"])(.+?)\1\)\.([\w$]+)/g

/**
 * Copies the declarations that `files` export and all that these use to `to`.
 * @param files declaration files without extension, relative to `from`
 * @throws if one uses a package that is not in `peers`
 */
export function copyTypes(
  from: string,
  to: string,
  files: readonly string[],
  peers: readonly string[],
): void {
  const types = new Types(peers)
  for (const file of files) types.addExports(join(from, file))
  for (const [file, text] of types.texts()) {
    const target = join(to, `${relative(from, file)}.d.ts`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}

class Types {
  readonly #peers: readonly string[]
  readonly #files = new Map<string, readonly Statement[]>()
  /** The statements that are used, with the names that are used of each. */
  readonly #used = new Map<Statement, Set<string>>()

  constructor(peers: readonly string[]) {
    this.#peers = peers
  }

  /** The texts of all files that are used, by their path without extension. */
  *texts(): Iterable<[string, string]> {
    for (const [file, statements] of this.#files) {
      const texts = statements.flatMap((each) => {
        const names = this.#used.get(each)
        return names ? [render(each, names)] : []
      })
      // A file without exports of its own is still a module.
      yield [file, texts.length > 0 ? texts.join('') : 'export {};\n']
    }
  }

  addExports(file: string): void {
    for (const statement of this.#read(file)) {
      if (!statement.isExported) continue
      for (const name of [...statement.declared, ...statement.names.keys()]) this.#add(file, statement, name)
    }
  }

  /** @returns whether the file has the name */
  #addName(file: string, name: string): boolean {
    const found = this.#read(file).filter(({ declared, names }) => declared.includes(name) || names.has(name))
    for (const statement of found) this.#add(file, statement, name)
    return found.length > 0
  }

  #addImport(file: string, from: string, name: string): void {
    const target = this.#targetOf(file, from)
    if (target !== undefined && !this.#addName(target, name))
      throw new Error(`The declaration of ${name} was not found: ${target}.d.ts`)
  }

  #add(file: string, statement: Statement, name: string): void {
    const used = this.#used.get(statement) ?? new Set()
    if (used.has(name)) return
    this.#used.set(statement, used.add(name))
    const { from, names, text } = statement
    if (from !== undefined) {
      const imported = names.get(name) ?? all
      if (imported === all) this.#targetOf(file, from)
      else this.#addImport(file, from, imported)
      return
    }
    for (const [, , path = '', member = ''] of text.matchAll(importedType))
      this.#addImport(file, path, member)
    for (const [, space = '', member = ''] of withoutComments(text).matchAll(/\b([\w$]+)\.([\w$]+)/g)) {
      const source = this.#read(file).find(({ names }) => names.get(space) === all)?.from
      if (source !== undefined) this.#addImport(file, source, member)
    }
    for (const each of namesIn(text)) this.#addName(file, each)
  }

  /** Returns the path of one of our files, undefined for a package. */
  #targetOf(file: string, from: string): string | undefined {
    if (from.startsWith('.')) return resolve(dirname(file), from.replace(/\.[jt]s$/, ''))
    if (this.#peers.some((peer) => from === peer || from.startsWith(`${peer}/`))) return undefined
    throw new Error(`Types of the package use ${from}, which its users may not have: ${file}.d.ts`)
  }

  #read(file: string): readonly Statement[] {
    const statements = this.#files.get(file) ?? parse(readFileSync(`${file}.d.ts`, 'utf8'))
    this.#files.set(file, statements)
    return statements
  }
}

function parse(source: string): Statement[] {
  const parts = source.replace(/^\/\/# sourceMappingURL.*$/m, '').split(start)
  const texts: string[] = []
  let comment = ''
  for (const part of parts) {
    // Of two comments in a row, the first is about the file.
    if (part.startsWith('/**')) comment = part
    else {
      texts.push(comment + part)
      comment = ''
    }
  }
  return texts.map((text) => {
    const code = withoutComments(text)
    const from = /(?:\bfrom |^import )(['"])(.+?)\1;?\s*$/.exec(code)?.[2]
    const isExported = /^export /m.test(code)
    if (from !== undefined) return { text, declared: [], from, names: importedNames(code), isExported }
    return { text, declared: declaredNames(code), from, names: new Map(), isExported }
  })
}

function declaredNames(code: string): string[] {
  const [, kind, name] = declaration.exec(code) ?? []
  if (name === undefined) return []
  const more = kind === 'const' ? Array.from(code.matchAll(/, ([\w$]+): /g), ([, other = '']) => other) : []
  return [name, ...more]
}

function importedNames(code: string): Map<string, string> {
  const [, space] = /^(?:import|export) (?:type )?\* as ([\w$]+)/m.exec(code) ?? []
  if (space !== undefined) return new Map([[space, all]])
  const [, list = ''] = /\{(.*?)\}/s.exec(code) ?? []
  const names = list.split(',').map((each) => each.trim().replace(/^type /, ''))
  return new Map(
    names
      .filter((name) => name !== '')
      .map((each) => each.split(' as '))
      .map(([name = '', alias = name]) => [alias, name]),
  )
}

/** The names in a declaration that may be types: all but those of its members, methods and parameters. */
function namesIn(text: string): Set<string> {
  const code = withoutComments(text).replace(/(['"])(?:\\.|(?!\1).)*\1/g, '')
  return new Set(code.match(/[A-Za-z_$][\w$]*(?![\w$]|\??:|\()/g))
}

const withoutComments = (text: string) => text.replace(/\/\*\*.*?\*\//gs, '')

/** Writes a statement with the names that are used. Imports of TypeScript files become imports of those that are built. */
function render({ text, from, names }: Statement, used: ReadonlySet<string>): string {
  const list = [...names].flatMap(([alias, name]) =>
    used.has(alias) ? [alias === name ? name : `${name} as ${alias}`] : [],
  )
  const kept = from === undefined ? text : text.replace(/\{.*?\}/s, `{ ${list.join(', ')} }`)
  return kept.replaceAll(
    /(?<=\bfrom |\bimport\(|^import )(['"])(\..+?)\.ts\1/gm,
    (_match, quote: string, path: string) => `${quote}${path}.js${quote}`,
  )
}
