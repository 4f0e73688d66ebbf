/** An account that is deleted while it calls a method: between the check of its session and the transaction. */
import { afterEach, expect, test, vi } from 'vitest'
import { calls } from '../support/access/calls/index.ts'
import { send } from '../support/access/client.ts'
import { everything, isSubscription, uniqueName } from '../support/access/model.ts'
import { server, setupServer } from '../support/server/setup.ts'

setupServer({ accounts: ['bystander'] })
afterEach(() => vi.restoreAllMocks())

const ofSessions = everything.filter(
  (method) => !isSubscription(method) && /access|full|upload/.test(method.auth),
)

/** Deletes the account as the first transaction begins, which may wait for the disk. @returns whether there was one */
function deleteBeforeTransaction(did: string): () => boolean {
  const { store, operation } = server.running.services
  const transact = store.transact.bind(store)
  const spy = vi.spyOn(store, 'transact')
  spy.mockImplementationOnce(async (work) => {
    await transact((tx) => operation.accountDeletion.hide(tx, did, server.clock.now()))
    return transact(work)
  })
  return () => spy.mock.calls.length > 0
}

test('no method of a session fails with an error of the server, and none leaves rows', async () => {
  const answers: Record<string, string> = {}
  for (const method of ofSessions) {
    const account = await server.account(uniqueName())
    const call = calls[method.nsid]?.({ ...account, state: 'active' }, 'full')
    if (!call) throw new Error(`no call of ${method.nsid}`)
    const hasWritten = deleteBeforeTransaction(account.did)
    const answer = await send(server.url, method, call, { authorization: `Bearer ${account.accessJwt}` })
    if (hasWritten()) answers[method.nsid] = answer
    vi.restoreAllMocks()
  }
  expect(Object.entries(answers).filter(([, answer]) => answer === 'InternalServerError')).toEqual([])
  for (const name of ['activateAccount', 'deactivateAccount', 'createAppPassword']) {
    expect(answers[`com.core.server.${name}`]).toBe('AccountNotFound')
  }
  expect(server.running.services.store.all('PRAGMA foreign_key_check')).toEqual([])
})
