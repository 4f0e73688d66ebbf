import { expect, test } from 'vitest'
import {
  type MailServer,
  mailServerOf,
  mailTexts,
  passwordToSave,
  problemsOfInput,
  problemsOfMailServer,
  senderOf,
  testProblem,
} from '../../../../server/platform/config/mail-server.ts'

const mail = { host: 'mail.example.com', port: '', security: 'tls' as const, user: '', from: '' }

test.each([
  [mail, 'smtps://mail.example.com:465/'],
  [{ ...mail, security: 'starttls' as const }, 'smtp://mail.example.com:587/?requireTLS=true'],
  [
    { ...mail, security: 'none' as const, port: '2525' },
    'smtp://mail.example.com:2525/?ignoreTLS=true&requireTLS=false',
  ],
  [{ ...mail, user: 'me@x', host: '::1' }, 'smtps://me%40x:p%3A%2F@[::1]:465/'],
  [{ ...mail, host: '' }, ''],
])('%o become %s', (settings, smtpUrl) => {
  expect(mailTexts(settings, 'p:/').smtpUrl).toBe(smtpUrl)
})

test('spaces around a pasted name are left out', () => {
  const pasted = { ...mail, host: ' Mail.example.com\n', from: ' me@x.example ' }
  expect(problemsOfMailServer(pasted)).toEqual({})
  const texts = { smtpUrl: 'smtps://mail.example.com:465/', mailFrom: 'me@x.example' }
  expect(mailTexts(pasted, undefined)).toEqual(texts)
  expect(senderOf(pasted)).toBe(texts.mailFrom)
})

test.each(['a@b', 'a/b', 'a?b', 'a#b', 'a%40b', 'a b', 'a\r\nb', 'fe80::1%eth0', '[[::1]]', '0x7f.1'])(
  '%j has no place in a URL',
  (host) => {
    expect(Object.keys(problemsOfMailServer({ ...mail, host }))).toEqual(['host'])
  },
)

test('a kept password goes to the host alone that it was saved for', () => {
  const kept = { ...mail, user: 'me' }
  const other = { ...kept, host: 'mail.thief.example' }
  const isAsked = (mailServer: MailServer, mailPassword?: string) =>
    'mailPassword' in problemsOfInput({ mailServer, mailPassword }, kept)
  expect(isAsked(other)).toBe(true)
  expect(isAsked(other, 'another')).toBe(false)
  for (const same of [
    kept,
    { ...kept, port: '2525' },
    { ...kept, host: ' MAIL.example.com' },
    { ...kept, host: '' },
  ])
    expect(isAsked(same)).toBe(false)
  expect(testProblem({ mailServer: other }, 'me@x.example', kept)).toMatch(/^Password: Enter the password/)
  expect(testProblem({ mailServer: other }, 'me@x.example', undefined)).toBeUndefined()
  // In two steps: first without a user.
  const first = { ...other, user: '' }
  expect(isAsked(first)).toBe(false)
  expect(passwordToSave({ mailServer: first }, kept)).toBe('')
  expect(passwordToSave({ mailServer: { ...kept, host: '' } }, kept)).toBeUndefined()
  expect('mailPassword' in problemsOfInput({ mailServer: other }, { ...kept, host: '' })).toBe(true)
})

test('wrong values are reported by field', () => {
  expect(problemsOfMailServer(mail)).toEqual({})
  expect(Object.keys(problemsOfMailServer({ ...mail, host: 'a,b', port: '0', from: 'me' }))).toEqual([
    'host',
    'port',
    'from',
  ])
})

test.each([
  mail,
  { ...mail, security: 'starttls' as const, user: 'me@x', from: 'Home <me@x.example>' },
  { ...mail, security: 'none' as const, port: '2525', host: '::1' },
  { ...mail, host: '', from: 'me@x.example' },
])('%o are read back from their texts, without the password', (settings) => {
  const { smtpUrl, mailFrom } = mailTexts(settings, 'p:/')
  expect(mailServerOf(smtpUrl, mailFrom)).toEqual(settings)
})
