/** The log over HTTP, for owners who use a browser on the computer of the server. */
import { beforeEach, expect, test } from 'vitest'
import { adminAuth, refusal } from '../../support/server/server.ts'
import { owner, server, setupServer } from '../../support/server/setup.ts'

setupServer({ config: { logLevel: 'info' }, accounts: ['olga'] })

type Auth = Parameters<typeof server.get>[2]
const read = (params: Record<string, string> = {}, auth: Auth = owner) =>
  server.get('com.core.admin.getLog', params, auth)
const log = () => server.running.services.log
let cursor: string
beforeEach(async () => {
  const { body } = await read({ limit: '1000' })
  cursor = (await read({ limit: '1000', cursor: body.cursor })).body.cursor
})
const news = async (more: Record<string, string> = {}) => (await read({ cursor, ...more })).body

test('the owner reads new lines by a cursor, which stays at the end', async () => {
  expect(await news()).toEqual({ lines: [], cursor })
  log().warn({ port: 25 }, 'mail server refused')
  const page = await news()
  const line = { level: 'warn', message: 'mail server refused', fields: '{"port":25}' }
  expect(page.lines).toEqual([{ ...line, time: expect.stringMatching(/^20.*Z$/) }])
  expect((await read({ cursor: page.cursor }, adminAuth)).body).toEqual({ lines: [], cursor: page.cursor })
})

test('of 10,000 lines the last 2,000 are kept, and read in pages', async () => {
  for (let count = 1; count <= 10_000; count++) log().info(`line ${count}`)
  const messages: string[] = []
  for (let page = await news(); page.lines.length > 0; page = (await read({ cursor: page.cursor })).body) {
    expect(page.lines.length).toBeLessThanOrEqual(500)
    messages.push(...page.lines.map(({ message }: { message: string }) => message))
  }
  expect(messages).toEqual(Array.from({ length: 2000 }, (_, at) => `line ${8001 + at}`))
})

test('secrets are hidden by their names, and in texts by their form', async () => {
  const jwt = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`
  log().error(
    { password: 'hunter2hunter2', err: new Error(`refused: smtp://olga:s3cret@mail.test ${jwt}`) },
    'failed',
  )
  log().info(`the password abcd-efgh-ijkl-mnop was used`)
  const text = JSON.stringify(await news())
  expect(text).toContain('mail.test')
  expect(text).not.toMatch(/hunter2|s3cret|eyJ|abcd-efgh/)
})

test('a very long line is cut', async () => {
  log().info({ list: 'x'.repeat(100_000) }, 'long')
  const { lines } = await news()
  expect(lines[0].fields).toHaveLength(10_001)
  log().info({ list: 'x'.repeat(5_000_000) }, 'longer than all that is kept')
  log().info('after')
  expect((await news()).lines).toMatchObject([{ message: 'after' }])
})

test('a cursor of an earlier run, or one that was made up, returns all lines', async () => {
  const all = (await read()).body.lines
  expect(all).not.toEqual([])
  const [run] = cursor.split('.')
  for (const made of ['', 'x', `${run}.`, `${run}.-1`, `${run}.99999999`, `${run}.x`, 'other.1'])
    expect((await read({ cursor: made })).body.lines).toEqual(all)
  await server.restart()
  log().info('after the restart')
  expect((await news()).lines).toMatchObject([{ message: 'after the restart' }])
})

test('others, apps, and the owner on another computer read nothing', async () => {
  const guest = await server.account('guest')
  expect(await read({}, guest)).toMatchObject(refusal(403, 'Forbidden'))
  const { accessJwt } = await server.appSession(owner, 'phone')
  expect((await read({}, accessJwt)).status).not.toBe(200)
  const headers = { authorization: `Bearer ${owner.accessJwt}`, 'x-forwarded-for': '192.0.2.7' }
  const answer = await server.fetch('/xrpc/com.core.admin.getLog', { headers })
  expect(answer).toMatchObject(refusal(400, 'NotAtThisComputer'))
})
