/** Why a mail server did not take a message, for people. */
import { unreachableByCode } from '../network/unreachable.ts'

/** The members that errors of SMTP have. */
interface SmtpError extends Error {
  readonly code?: string
  /** Of the connection below. */
  readonly originalCode?: string
  readonly response?: string
}

/** Returns the reason in one line of ASCII, for a header field: a reply of a mail server may have several lines. */
export function smtpFailure(url: URL, error: unknown): string {
  const text = error instanceof Error ? sentenceOf(url, error) : String(error)
  return text.replace(/[^ -~]+/g, ' ').slice(0, 500)
}

function sentenceOf(url: URL, { code, originalCode, response, message }: SmtpError): string {
  const { host } = url
  const unreachable = unreachableByCode(url, originalCode)
  if (unreachable !== undefined) return unreachable
  const answer = response === undefined ? '' : ` It answered: ${response}`
  switch (code) {
    case 'EAUTH':
      return `The mail server refused the user name or the password.${answer}`
    case 'EPROTOCOL':
      return `${host} did not answer as a mail server.${answer}`
    case 'ETLS':
      return `${host} does not offer STARTTLS. Choose TLS, or another port.${answer}`
    case 'EABORT':
    case 'ETIMEDOUT':
      return `${host} did not answer in time. Check the name, the port and the encryption.`
    default:
      break
  }
  if (originalCode === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return `${host} does not begin with TLS. Choose STARTTLS, or the port for TLS.`
  }
  if (/CERT|SIGNATURE/.test(originalCode ?? '')) return `The certificate of ${host} is not valid: ${message}`
  return response === undefined ? message : `The mail server refused the message.${answer}`
}
