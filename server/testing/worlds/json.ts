/** Parses JSON and keeps the line of each value, for errors. */
import { formatPath, type Path, WorldError } from './errors.ts'

export interface ParsedJson {
  readonly value: unknown
  /** Lines begin with 1. A member that is missing has the line of its object. */
  lineOf(path: Path): number
}

interface Token {
  readonly text: string
  readonly line: number
}

const pattern =
  /(?<space>\s+)|(?<token>[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)|(?<other>[\s\S][^\s,\]}]*)/gy

/** @throws WorldError with the file and the line */
export function parseJson(text: string, file: string): ParsedJson {
  const lines = new Map<string, number>()
  const parser = new Parser(tokensOf(text), file, lines)
  const value = parser.all()
  return {
    value,
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const line = lines.get(formatPath(path.slice(0, length)))
        if (line !== undefined) return line
      }
      return 1
    },
  }
}

function* tokensOf(text: string): Generator<Token> {
  let line = 1
  for (const { groups } of text.matchAll(pattern)) {
    const found = groups?.token ?? groups?.other
    if (found === undefined) line += groups?.space?.split('\n').length ?? 1
    if (found === undefined) line--
    else yield { text: found, line }
  }
  yield { text: '', line }
}

class Parser {
  readonly #tokens: Iterator<Token>
  readonly #file: string
  readonly #lines: Map<string, number>
  #token: Token

  constructor(tokens: Iterator<Token>, file: string, lines: Map<string, number>) {
    this.#tokens = tokens
    this.#file = file
    this.#lines = lines
    this.#token = this.#read()
  }

  all(): unknown {
    const value = this.#value([])
    if (this.#token.text !== '') this.#fail(`expected the end of the file instead of ${this.#token.text}`)
    return value
  }

  #value(path: Path): unknown {
    const { text, line } = this.#token
    this.#lines.set(formatPath(path), line)
    if (text === '{') return this.#object(path)
    if (text === '[') return this.#array(path)
    return this.#next(() => JSON.parse(text), 'a value')
  }

  #object(path: Path): Record<string, unknown> {
    const members: [string, unknown][] = []
    const known = new Set<string>()
    this.#list('}', () => {
      const { line } = this.#token
      const key = this.#next(
        (text) => (text.startsWith('"') ? JSON.parse(text) : undefined),
        'a name in quotes',
      )
      if (known.has(key)) this.#fail(`${formatPath([...path, key])} occurs twice`, line)
      known.add(key)
      this.#expect(':')
      members.push([key, this.#value([...path, key])])
    })
    return Object.fromEntries(members)
  }

  #array(path: Path): unknown[] {
    const values: unknown[] = []
    this.#list(']', () => values.push(this.#value([...path, values.length])))
    return values
  }

  #list(end: string, item: () => void): void {
    this.#token = this.#read()
    if (this.#token.text === end) {
      this.#token = this.#read()
      return
    }
    for (;;) {
      item()
      if (this.#token.text === end) break
      this.#expect(',', ` or ${end}`)
    }
    this.#token = this.#read()
  }

  #expect(text: string, or = ''): void {
    this.#next((found) => (found === text ? found : undefined), `${text}${or}`)
  }

  /** Reads a token. @param parse returns undefined or throws for a token of another kind */
  #next<T>(parse: (text: string) => T | undefined, expected: string): T {
    const { text } = this.#token
    try {
      const value = parse(text)
      if (value !== undefined) {
        this.#token = this.#read()
        return value
      }
    } catch {}
    return this.#fail(`expected ${expected} instead of ${text === '' ? 'the end of the file' : text}`)
  }

  #read(): Token {
    return this.#tokens.next().value as Token
  }

  #fail(reason: string, line = this.#token.line): never {
    throw new WorldError([{ path: [], reason }], { file: this.#file, lineOf: () => line })
  }
}
