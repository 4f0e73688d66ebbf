/** The log: one JSON object per line, on standard error, without secrets. */

import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Names of properties whose values never reach the log. */
const SECRETS = [
  'accessJwt',
  'adminPassword',
  'authFactorToken',
  'authorization',
  'inviteCode',
  'password',
  'privateKey',
  'refreshJwt',
  'secret',
  'smtpUrl',
  'token',
  'verificationCode',
]

/** As deep as `{ req: { headers: { authorization } } }`. */
const PATHS = [
  ...SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  // Only under these names: error codes such as ENOSPC stay readable.
  ...['code', 'input.code', 'output.code', 'mail.code'],
  // Node.js adds the text that is no URL, which may have a password.
  'err.input',
]

/** The standard error. Lines are written synchronously, so that none is lost when the process dies. */
export function standardError(): DestinationStream {
  return pino.destination({ dest: 2, sync: true })
}

/** Creates the logger. */
export function createLogger(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: PATHS, censor: '[redacted]' },
    },
    destination,
  )
}
