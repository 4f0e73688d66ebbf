import { expect, test } from 'vitest'
import {
  mailServerOf,
  mailTexts,
  problemsOfMailServer,
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
