import { t } from '../../strings/en.ts'

/** For fields of new addresses. The server accepts a domain without a dot, of a local mail server; in a form it is a typing error. */
export const newEmail = {
  pattern: String.raw`\s*[^@\s]+@[^@\s]+\.[^@\s.]+\s*`,
  title: t.ui.wholeEmail,
  type: 'email',
} as const
