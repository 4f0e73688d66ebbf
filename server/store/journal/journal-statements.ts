/**
 * The statements of a journal as bytes. Numbers take 32 bits, little-endian.
 *
 * A transaction is the number of its statements, then each one: the number of its SQL text in this journal, the number of its values,
 * the values. Texts are numbered from 1. The number 0 is followed by the next text: length and UTF-8.
 */
import type { SqlParams, SqlValue } from '../pages/sqlite.ts'

export type Statement = readonly [sql: string, params: SqlParams]

export interface EncodedStatement {
  readonly sql: string
  readonly values: Buffer
}

/** The first byte of a value. A double follows, or a length and as many bytes. */
const kind = { null: 0, number: 1, text: 2, bytes: 3 } as const

const numberBytes = 4

/** Encodes the values of a statement at once, so that the caller may change its arrays later. */
export function encodeStatement(sql: string, params: SqlParams): EncodedStatement {
  let size = numberBytes
  for (const value of params) size += sizeOf(value)
  const values = Buffer.allocUnsafe(size)
  let at = values.writeUInt32LE(params.length)
  for (const value of params) at = writeValue(values, value, at)
  return { sql, values }
}

function sizeOf(value: SqlValue): number {
  if (value === null) return 1
  if (typeof value === 'number') return 1 + 8
  return 1 + numberBytes + Buffer.byteLength(value)
}

/** Returns the end of the value. */
function writeValue(into: Buffer, value: SqlValue, at: number): number {
  if (value === null) return into.writeUInt8(kind.null, at)
  if (typeof value === 'number') return into.writeDoubleLE(value, into.writeUInt8(kind.number, at))
  const start = at + 1 + numberBytes
  if (typeof value === 'string') {
    into.writeUInt8(kind.text, at)
    // Replaces lone surrogates as SQLite's copy does.
    return start + writeLength(into, into.write(value, start), at + 1)
  }
  into.writeUInt8(kind.bytes, at)
  into.set(value, start)
  return start + writeLength(into, value.length, at + 1)
}

function writeLength(into: Buffer, length: number, at: number): number {
  into.writeUInt32LE(length, at)
  return length
}

/**
 * Encodes transactions.
 * @param texts numbers of the texts that the journal has
 * @returns the bytes, and the texts that they add to the journal, in the order of their numbers
 */
export function encodeTransactions(
  transactions: readonly (readonly EncodedStatement[])[],
  texts: ReadonlyMap<string, number>,
): { bytes: Buffer; added: string[] } {
  const added = new Map<string, number>()
  const parts: Buffer[] = []
  for (const statements of transactions) {
    parts.push(encodeNumber(statements.length))
    for (const { sql, values } of statements) {
      const number = texts.get(sql) ?? added.get(sql)
      if (number === undefined) {
        const text = Buffer.from(sql)
        parts.push(encodeNumber(0), encodeNumber(text.length), text)
        added.set(sql, texts.size + added.size + 1)
      } else {
        parts.push(encodeNumber(number))
      }
      parts.push(values)
    }
  }
  return { bytes: Buffer.concat(parts), added: [...added.keys()] }
}

function encodeNumber(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(numberBytes)
  bytes.writeUInt32LE(number)
  return bytes
}

/**
 * Decodes transactions, whose values are views of `bytes`. Throws for a text that is not known.
 * @param texts the texts of earlier frames in the order of their numbers; those of this one are added
 */
export function decodeTransactions(bytes: Buffer, texts: string[]): Statement[][] {
  let at = 0
  const readNumber = () => {
    at += numberBytes
    return bytes.readUInt32LE(at - numberBytes)
  }
  const skip = () => {
    const length = readNumber()
    at += length
    return at - length
  }
  const readText = () => bytes.toString('utf8', skip(), at)
  const readSql = () => {
    const number = readNumber()
    if (number === 0) texts.push(readText())
    const sql = texts.at(number - 1)
    if (sql === undefined) throw new Error(`no statement has the number ${number}`)
    return sql
  }
  const readValue = (): SqlValue => {
    const type = bytes[at++]
    if (type === kind.null) return null
    if (type === kind.text) return readText()
    if (type === kind.bytes) return bytes.subarray(skip(), at)
    at += 8
    return bytes.readDoubleLE(at - 8)
  }
  const readStatement = (): Statement => {
    const sql = readSql()
    const params: SqlValue[] = []
    for (let count = readNumber(); count > 0; count--) params.push(readValue())
    return [sql, params]
  }
  const transactions: Statement[][] = []
  while (at < bytes.length) {
    const statements: Statement[] = []
    for (let count = readNumber(); count > 0; count--) statements.push(readStatement())
    transactions.push(statements)
  }
  return transactions
}
