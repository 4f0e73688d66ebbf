import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await TestServer.start()
})

afterAll(() => server.close())

test('an account is there after a restart, with its sessions and app passwords', async () => {
  const alice = await server.account('alice')
  const made = await server.post('com.core.server.createAppPassword', { name: 'phone' }, alice)
  expect(made.status).toBe(200)

  await server.restart()

  const session = await server.get('com.core.server.getSession', {}, alice)
  expect(session.body).toMatchObject({ did: alice.did, handle: 'alice.test', active: true })
  const signedIn = await server.post('com.core.server.createSession', {
    identifier: 'alice.test',
    password: made.body.password,
  })
  expect(signedIn.status).toBe(200)
})
