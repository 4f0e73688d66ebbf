/**
 * Journals of format 1, which earlier versions wrote: the payload of a frame is a JSON array of transactions. They are only read. This file
 * can be deleted when data of those versions are no longer opened.
 */

import type { SqlValue } from '../sqlite.ts'
import type { Statement } from './journal-statements.ts'

type Encoded = [sql: string, params: (SqlValue | { base64: string })[]]

export function decodePayload1(payload: Buffer): Statement[][] {
  const transactions = JSON.parse(payload.toString()) as Encoded[][]
  return transactions.map((statements) => statements.map(([sql, params]) => [sql, params.map(decodeValue)]))
}

function decodeValue(value: SqlValue | { base64: string }): SqlValue {
  return value !== null && typeof value === 'object' && 'base64' in value
    ? Buffer.from(value.base64, 'base64')
    : value
}
