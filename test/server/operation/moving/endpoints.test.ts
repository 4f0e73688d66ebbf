/** Endpoints in documents and operations name servers in several ways. */
import { expect, test } from 'vitest'
import { createUpdate } from '../../../../server/identity/did/did-plc.ts'
import { lastOperation, submitOperation } from '../../../../server/identity/did/plc-directory.ts'
import { checkDirectory } from '../../../../server/operation/doctor/directory.ts'
import {
  directory,
  filledAccount,
  moveIn,
  other,
  proceed,
  records,
  server,
  settled,
  setupMoving,
  succeed,
} from '../../../support/accounts/moving.ts'
import { minute } from '../../../support/server/clock.ts'
import type { TestServer } from '../../../support/server/server.ts'

setupMoving()

/** Other ways to write the origin of a server on localhost. */
const shout = (origin: string) => `${origin.replace('http://localhost', 'HTTP://LocalHost')}/`

/** Has the directory name the server of an account in another way. */
async function rename(at: TestServer, did: string): Promise<void> {
  const last = await lastOperation(directory.url, did)
  const pds = last?.services.atproto_pds
  if (!last || !pds) throw new Error(`${did} is not published`)
  const services = { ...last.services, atproto_pds: { ...pds, endpoint: shout(pds.endpoint) } }
  const { rotationKey } = at.running.services.identity.secrets
  await submitOperation(directory.url, did, createUpdate(last, { services }, rotationKey))
  for (const each of [other, server]) each.clock.advance(minute)
}

test('an account whose document has a slash at the end and an upper-case host moves', async () => {
  const account = await filledAccount(other, 'slash')
  await rename(other, account.did)
  expect(await succeed(other.get('com.core.server.checkAccountStatus', {}, account))).toMatchObject({
    validDid: true,
  })
  expect((await other.signIn(account)).body.didDoc).toMatchObject({ id: account.did })
  await succeed(other.post('com.core.identity.updateHandle', { handle: 'slash-2.other.test' }, account))
  await rename(other, account.did)

  const found = await succeed(server.get('com.core.move.findAccount', { identifier: account.did }))
  expect(found.server).toBe(other.running.services.origin)
  const here = await succeed(moveIn(account))
  expect(await settled(server, here)).toMatchObject({ need: 'code' })
  await succeed(proceed(server, here, { code: await other.codeTo(account.email) }))
  expect(await settled(server, here)).toMatchObject({ step: 'done' })
  expect(await records(server, account.did)).toHaveLength(43)

  await rename(server, account.did)
  const { store, origin } = server.running.services
  const check = { store, origin, plcUrl: directory.url, signal: AbortSignal.timeout(60_000) }
  expect((await checkDirectory(check)).message).not.toContain('not here')
})
