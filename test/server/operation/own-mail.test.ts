/** The mail server that the owner sets over HTTP, for a server of the command line, which starts again by itself. */
import { chmod, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServeProcess } from '../../support/server/serve-process.ts'
import { type Account, refusal } from '../../support/server/server.ts'
import { type SmtpServer, startSmtpServer } from '../../support/services/smtp-server.ts'

const soon = { timeout: 30_000 }
const login = { user: 'olga@mail.test', password: 'a mail: password' }
let smtp: SmtpServer
let server: ServeProcess
let owner: Account

beforeAll(async () => {
  smtp = await startSmtpServer({ login })
  server = await ServeProcess.start()
  owner = await server.account('olga')
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

const own = (more: object = {}) => ({
  ...{ host: '127.0.0.1', port: new URL(smtp.url).port, security: 'none', user: login.user },
  ...{ from: 'Home <olga@mail.test>', ...more },
})
const call = (name: string, input: object, auth: Parameters<ServeProcess['post']>[2] = owner) =>
  server.post(`com.core.admin.${name}`, input, auth)
const proof = () => ({ password: owner.password })
const save = (more: object = {}) =>
  call('updateMailServer', { mailServer: own(), mailPassword: login.password, ...proof(), ...more })
const read = () => server.ask('getMailServer', owner)
const file = (name: string) => join(server.dataDir, name)
const none = { host: '', port: '', security: 'tls', user: '', from: '' }

test('without one, messages stay in the outbox', async () => {
  expect(await read()).toEqual({ mailServer: none, hasPassword: false, waiting: false })
  expect((await server.get('com.core.server.describeServer')).body.mailDelivery).toBe('outbox')
})

test('a session alone neither tests nor sets it, and a wrong value is named before the password is asked for', async () => {
  const mailServer = own()
  const attempts = [
    () => call('updateMailServer', { mailServer }),
    () => call('testMailServer', { mailServer, to: 'thief@mail.test' }),
  ]
  for (const attempt of attempts) expect(await attempt()).toMatchObject(refusal(400, 'PasswordRequired'))
  expect(await save({ password: 'a guess' })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  const wrong = own({ host: 'a b', port: '0', from: 'nowhere' })
  const { body } = await call('updateMailServer', { mailServer: wrong })
  expect(body.problems.map(({ field }: { field: string }) => field)).toEqual(['host', 'port', 'from'])
  expect(smtp.messages).toEqual([])
  expect(await read()).toMatchObject({ mailServer: none })
})

test('a test sends a message, or has the words of the mail server, and saves nothing', async () => {
  const input = { mailServer: own(), to: 'olga@example.test', ...proof() }
  const refused = await call('testMailServer', { ...input, mailPassword: 'wrong' })
  expect(refused).toMatchObject(refusal(400, 'MailNotSent'))
  expect(refused.body.message).toContain('535')
  expect((await call('testMailServer', { ...input, mailPassword: login.password })).status).toBe(200)
  expect(smtp.messages.at(-1)).toMatchObject({ to: ['<olga@example.test>'], user: login.user })
  for (const more of [{ to: 'no address' }, { mailServer: none }])
    expect(await call('testMailServer', { ...input, ...more })).toMatchObject(refusal(400, 'InvalidRequest'))
  expect(await read()).toMatchObject({ mailServer: none, hasPassword: false })
})

test('a new one is used at once, its password is in a file of its own, and no method returns it', async () => {
  expect(await save()).toMatchObject({ status: 200, body: { problems: [] } })
  await expect.poll(read, soon).toMatchObject({ mailServer: own(), hasPassword: true, waiting: false })
  expect((await server.get('com.core.server.describeServer')).body.mailDelivery).toBe('mail')
  expect(await readFile(file('mail-server.json'), 'utf8')).toContain(encodeURIComponent(login.password))
  expect((await stat(file('mail-server.json'))).mode & 0o777).toBe(0o600)
  const sent = smtp.messages.length
  await server.post('com.core.server.requestEmailConfirmation', undefined, owner)
  await expect.poll(() => smtp.messages.length, soon).toBeGreaterThan(sent)
  expect(smtp.messages.at(-1)).toMatchObject({ to: [`<${owner.email}>`], user: login.user })
  const { body } = await server.get('com.core.server.listSecurityChanges', {}, owner)
  expect(body.changes[0]).toMatchObject({ change: 'serverSettings', byAdmin: false })
})

test('the mail server of before sends the notice of a change, which the next one could keep back', async () => {
  const other = await startSmtpServer({ login })
  try {
    const before = smtp.messages.length
    await save({ mailServer: own({ port: new URL(other.url).port }) })
    await expect.poll(() => smtp.messages.length, soon).toBe(before + 1)
    expect(smtp.messages.at(-1)).toMatchObject({ to: [`<${owner.email}>`] })
    await expect.poll(read, soon).toMatchObject({ waiting: false })
    expect(other.messages).toEqual([])
    await save()
    await expect.poll(read, soon).toMatchObject({ mailServer: own(), waiting: false })
  } finally {
    await other.close()
  }
})

test('the admin password needs no other; an absent password keeps the one that is there, an empty one removes it', async () => {
  const admin = `admin:${(await readFile(file('admin-password'), 'utf8')).trim()}`
  const auth = `Basic ${Buffer.from(admin).toString('base64')}`
  const change = (more: object) => call('updateMailServer', { mailServer: own(), ...more }, auth)
  expect((await change({})).status).toBe(200)
  await expect.poll(read, soon).toMatchObject({ hasPassword: true, waiting: false })
  expect((await change({ mailPassword: '' })).status).toBe(200)
  await expect.poll(read, soon).toMatchObject({ mailServer: own(), hasPassword: false, waiting: false })
})

test('settings that cannot be saved leave it as it is, and say what to do', async () => {
  const kept = await readFile(file('mail-server.json'))
  await mkdir(file('mail-server.json.tmp'))
  expect(await save({ mailPassword: 'another', mailServer: own({ from: '' }) })).toMatchObject({
    ...refusal(400, 'SettingsNotSaved'),
    body: { message: expect.stringMatching(/^The settings could not be saved \(\w+\)\. Check the disk/) },
  })
  await rm(file('mail-server.json.tmp'), { recursive: true })
  expect(await readFile(file('mail-server.json'))).toEqual(kept)
  expect(await read()).toMatchObject({ mailServer: own(), waiting: false })
})

test('a change that starts the server again is reported by the mail server of before, not in the outbox', async () => {
  /** Repeats a call while the server starts again. */
  const done = (attempt: () => ReturnType<typeof call>) =>
    expect.poll(() => attempt().catch(() => undefined), soon).toMatchObject({ status: 200 })
  await done(save)
  await expect.poll(read, soon).toMatchObject({ hasPassword: true, waiting: false })
  const notices = () => smtp.messages.filter(({ data }) => data.includes('were changed')).length
  const kept = async () => (await server.mailsTo(owner.email)).length
  const [sentBefore, keptBefore] = [notices(), await kept()]
  const address = await server.makeFolder('disk')
  await done(() => call('addCopyPlace', { place: { kind: 'folder', address }, sameDisk: true, ...proof() }))
  await expect.poll(notices, soon).toBe(sentBefore + 1)
  const url = pathToFileURL(join(address, 'desktop-pds-copy')).href
  await done(() => call('removeCopyPlace', { url }))
  await expect.poll(notices, soon).toBe(sentBefore + 2)
  await done(() => save({ mailServer: none, mailPassword: '' }))
  await expect.poll(notices, soon).toBe(sentBefore + 3)
  expect(await kept()).toBe(keptBefore)
  await expect.poll(read, soon).toMatchObject({ mailServer: none, waiting: false })
})

test('the kept password goes to no other host, in a test or saved', async () => {
  await expect.poll(() => save().catch(() => undefined), soon).toMatchObject({ status: 200 })
  await expect.poll(read, soon).toMatchObject({ hasPassword: true, waiting: false })
  // The same computer by another name.
  const mailServer = own({ host: 'localhost' })
  const input = { mailServer, to: 'thief@mail.test', ...proof() }
  const { body } = await call('updateMailServer', input)
  expect(body.problems).toEqual([
    { field: 'mailPassword', problem: expect.stringContaining('Enter the password') },
  ])
  const sent = smtp.messages.length
  expect(await call('testMailServer', input)).toMatchObject(refusal(400, 'InvalidRequest'))
  expect(smtp.messages).toHaveLength(sent)
  expect((await call('updateMailServer', { ...input, mailServer: { ...mailServer, user: '' } })).status).toBe(
    200,
  )
  await expect.poll(read, soon).toMatchObject({ hasPassword: false, waiting: false })
})

test('a file that other users can read is named, ends no server that starts again, and is replaced with a new password', async () => {
  await save()
  await expect.poll(read, soon).toMatchObject({ hasPassword: true, waiting: false })
  await chmod(file('mail-server.json'), 0o644)
  const named = { body: { message: expect.stringContaining('chmod 600') } }
  expect(await server.get('com.core.admin.getMailServer', {}, owner)).toMatchObject({ status: 400, ...named })
  expect(await save({ mailPassword: undefined })).toMatchObject({
    ...refusal(400, 'SettingsNotSaved'),
    ...named,
  })
  const place = { kind: 'folder', address: await server.makeFolder('another-disk') }
  const { body } = await call('addCopyPlace', { place, sameDisk: true, ...proof() })
  const started = { places: [{ url: body.url }] }
  await expect.poll(() => server.ask('getCopies', owner), soon).toMatchObject(started)
  expect(await save()).toMatchObject({ status: 200, body: { problems: [] } })
  await expect.poll(read, soon).toMatchObject({ hasPassword: true, waiting: false })
})

test('spaces around the host are left out', async () => {
  const input = { mailServer: own({ host: ' 127.0.0.1 ' }), to: 'olga@example.test', ...proof() }
  expect((await call('testMailServer', { ...input, mailPassword: login.password })).status).toBe(200)
})

test('a flag sets it instead', async () => {
  const other = await ServeProcess.start('--smtp-url', 'smtps://me:secret@mail.example.com')
  try {
    const alice = await other.account('alice')
    const { body } = await other.get('com.core.admin.getMailServer', {}, alice)
    expect(body).toEqual({
      mailServer: { ...none, host: 'mail.example.com', user: 'me' },
      ...{ hasPassword: false, fixedBy: '--smtp-url', waiting: false },
    })
    const input = { mailServer: own(), password: alice.password }
    expect(await other.post('com.core.admin.updateMailServer', input, alice)).toMatchObject(
      refusal(400, 'MailServerElsewhere', 'The mail server is set by --smtp-url'),
    )
  } finally {
    await other.close()
  }
})
