/** Error messages: what happened and what to do. */
import { XrpcFetchError, XrpcInvalidResponseError, XrpcResponseError } from '@atproto/lex-client'
import { t } from '../strings/en.ts'
import { formatRelative } from '../strings/format.ts'
import { SessionEnded } from './client.ts'
import { DesktopError } from './desktop.ts'

/** Errors whose message from the server is more specific than a text by name. */
const specificErrors = new Set(['InvalidRequest', 'InvalidHandle', 'InvalidPassword', 'BadExpiration'])

export function errorName(error: unknown): string | undefined {
  return error instanceof XrpcResponseError ? error.error : undefined
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof XrpcResponseError && error.status >= 500 && error.status !== 501
}

export function explain(error: unknown): string {
  if (typeof error === 'string') return error
  if (error instanceof DesktopError) return error.message
  if (error instanceof SessionEnded) return t.errors.sessionEnded
  if (error instanceof XrpcFetchError) return t.errors.unreachable
  if (isOfImport(error)) return t.errors.partMissing
  if (error instanceof XrpcInvalidResponseError) return t.errors.invalidResponse
  if (!(error instanceof XrpcResponseError)) return t.errors.unexpected
  if (error.error === 'RateLimitExceeded') return tooMany(error.headers.get('retry-after'))
  // The name is that of a wrong code, too.
  if (/^Bad token (scope|method)/.test(error.message)) return t.errors.notPermitted
  if (isOfSchema(error)) return textOfSchema(error.message)
  if (specificErrors.has(error.error) && error.message) return sentence(error.message)
  return t.errors.byName[error.error] ?? sentence(error.message)
}

/** Whether a part of the page that is loaded when it is used could not be loaded. The wording is that of each browser. */
function isOfImport(error: unknown): boolean {
  return error instanceof TypeError && /\bimport/i.test(error.message)
}

/** How a message about the shape of the input begins: with the name of a property, which people did not write. */
const shape = /^(?:The body|[a-z]\w*(?:\.\w+)*) (?:needs|may have|must have|must be|is not (?:a )?valid)\b/

function isOfSchema({ error, message }: XrpcResponseError): boolean {
  return error === 'InvalidRequest' && shape.test(message)
}

function textOfSchema(message: string): string {
  if (message.includes('may have at most')) return t.errors.tooLong
  return message.includes('must have at least') ? t.errors.tooShort : t.errors.notAccepted
}

function tooMany(retryAfter: string | null): string {
  const seconds = Number(retryAfter)
  if (!retryAfter || Number.isNaN(seconds)) return t.errors.tooMany
  const now = Date.now()
  return t.errors.tooManyUntil(formatRelative(new Date(now + seconds * 1000).toISOString(), now))
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Whether a sign-in needs a code that was emailed. */
export function isFactorWanted(error: unknown): boolean {
  return errorName(error) === 'AuthFactorTokenRequired'
}

/** Whether the server has mailed a code with the request for one. Only the text of the error says so. */
export function isCodeMailed(error: Error | null): boolean {
  return isFactorWanted(error) && (error?.message.includes('has been sent') ?? false)
}
