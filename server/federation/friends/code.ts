/**
 * The six digits that two people compare before their servers trust each other, by the scheme of numeric comparison (Bluetooth Core
 * Specification, Secure Simple Pairing). The asking server commits to its number before it learns the other one, so no computer in between
 * can choose numbers for which both screens show the same digits: it would have to guess, one time in a million.
 */
import { createHash } from 'node:crypto'
import type { DidString, HandleString } from '@atproto/syntax'
import { randomBytes } from '../../util/random.ts'

/** The self-description of a server. The digits cover it. */
export interface Card {
  /** The account that follows and is followed. */
  readonly did: DidString
  readonly handle: HandleString
  /** Name of the computer. */
  readonly name: string
  /** Port on which the server listens. */
  readonly port: number
}

export interface Side {
  readonly card: Card
  /** 256 random bits in base64url. */
  readonly nonce: string
}

export function newNonce(): string {
  return randomBytes(32).toString('base64url')
}

export function commitmentTo({ card, nonce }: Side): string {
  return digest('commitment', [nonce, ...partsOf(card)]).toString('base64url')
}

/** Returns six digits. */
export function codeOf(asking: Side, asked: Side): string {
  const parts = [asking, asked].flatMap(({ card, nonce }) => [nonce, ...partsOf(card)])
  const number = digest('code', parts).readUIntBE(0, 6) % 1_000_000
  return String(number).padStart(6, '0')
}

function partsOf({ did, handle, name, port }: Card): string[] {
  return [did, handle, name, String(port)]
}

/** Hashes a purpose and parts as JSON, which separates each from the next. */
function digest(purpose: string, parts: readonly string[]): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['desktop-pds friends', purpose, ...parts]))
    .digest()
}
