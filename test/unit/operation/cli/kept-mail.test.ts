import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepMail } from '../../../../server/operation/cli/kept-mail.ts'
import { ConfigError, defaultText } from '../../../../server/platform/config/config.ts'
import { noMailServer } from '../../../../server/platform/config/mail-server.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-mail-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = (env: Record<string, string> = {}) => keepMail(folder, { env, args: [] })
const server = { ...noMailServer, host: 'mail.example.com', user: 'me' }
const edit = (text: string) => writeFile(join(folder, 'mail-server.json'), text, { mode: 0o600 })

test('two changes at once leave one of them whole', async () => {
  const mail = open()
  const users = ['one', 'two', 'three']
  await Promise.all(
    users.map((user) => mail.save({ mailServer: { ...server, user }, mailPassword: `password of ${user}` })),
  )
  const kept = await mail.read()
  expect(kept.password).toBe(`password of ${kept.server.user}`)
})

test('an absent password keeps the one that is there, and nothing is left of a mail server that is removed', async () => {
  await open().save({ mailServer: server, mailPassword: 'p: %' })
  await open().save({ mailServer: { ...server, port: '2525' } })
  expect(await open().read()).toMatchObject({ server: { ...server, port: '2525' }, password: 'p: %' })
  await open().save({ mailServer: noMailServer })
  const config = { smtpUrl: undefined, mailFrom: defaultText('mailFrom', {}) }
  expect(await open().read()).toEqual({ server: noMailServer, password: undefined, config })
})

test('a file that was edited by hand is used as it is, with options that the form lacks', async () => {
  const smtpUrl = 'smtp://me:secret@mail.example.com:25/?name=home.example'
  await edit(JSON.stringify({ smtpUrl }))
  expect(await open().read()).toMatchObject({ password: 'secret', config: { smtpUrl } })
})

test.each(['', 'null', '{"smtpUrl":1}', '{"smtpUrl":"smtp://100%@mail.example.com"}', '{"mailFrom":"me"}'])(
  'a damaged file is named: %s',
  async (text) => {
    await edit(text)
    await expect(open().read()).rejects.toBeInstanceOf(ConfigError)
    await expect(open().read()).rejects.toThrow('mail-server.json is damaged')
  },
)

test('a variable overrides it', async () => {
  await open().save({ mailServer: server, mailPassword: 'secret' })
  const smtpUrl = 'smtps://you:x@other.example/'
  const mail = open({ PDS_SMTP_URL: smtpUrl })
  expect(mail.setBy).toBe('PDS_SMTP_URL')
  expect(await mail.read()).toMatchObject({
    server: { host: 'other.example', user: 'you' },
    password: undefined,
    config: { smtpUrl },
  })
})
