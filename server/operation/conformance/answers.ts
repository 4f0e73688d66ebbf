/** What answers have in common: success, and errors with their names. */
import type { Answer } from './http.ts'
import { expect, shown } from './verdict.ts'

/** Returns the JSON of an answer with the status 200. @throws Failed */
// biome-ignore lint/suspicious/noExplicitAny: each method has its own output
export function outputOf(answer: Answer): any {
  expectStatus(answer, 200)
  expect(answer.json !== undefined, `${answer.asked} answered no JSON, but ${typeOf(answer)}`)
  return answer.json
}

/** @throws Failed */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  const { asked, status } = answer
  expect(
    statuses.includes(status),
    `${asked} answered ${status}${errorOf(answer)}, expected ${statuses.join(' or ')}`,
  )
}

/** Expects an error of the protocol. @param names any by default @throws Failed */
export function expectError(
  answer: Answer,
  statuses: readonly number[],
  names: readonly string[] = [],
): void {
  expectStatus(answer, ...statuses)
  const { asked, json, status } = answer
  const name: unknown = json?.error
  expect(
    typeof name === 'string' && /^[\x21-\x7e]+$/.test(name),
    `${asked} answered ${status} without the name of an error: ${shown(json ?? typeOf(answer))}`,
  )
  expect(
    names.length === 0 || names.includes(name),
    `${asked} answered the error ${name}, expected ${names.join(' or ')}`,
  )
}

/** Any refusal of a client's mistake. */
export const refusals = [400, 401, 403, 404, 405, 409, 413, 415, 422]

export function errorOf({ json }: Answer): string {
  const { error, message } = json ?? {}
  return typeof error === 'string' ? ` ${shown(`${error}${message ? `: ${message}` : ''}`)}` : ''
}

export function typeOf({ headers }: Answer): string {
  return headers.get('content-type') ?? 'no content type'
}

/** Returns the media type of an answer, in lower case. */
export function mediaTypeOf(answer: Answer): string {
  return typeOf(answer).split(';')[0]?.trim().toLowerCase() ?? ''
}
