/** What `desktop-pds conformance` measures of both servers: a must that the reference server fails would be ours alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requirements } from '../../server/operation/conformance/requirements.ts'
import { isUnexpected, measure } from '../../server/operation/conformance/runner.ts'
import { createAccount } from './accounts.ts'
import { adminPassword } from './processes.ts'
import type { World } from './world.ts'

export function conformance({ theirs, ours, directory }: World): void {
  for (const [name, { url }] of Object.entries({ 'the reference server': theirs, 'this server': ours }))
    test(`${name} meets every must`, async (t) => {
      const { handle, password } = await createAccount(url, 'measured')
      const account = { identifier: handle, password }
      const { results, leftovers } = await measure({
        ...{ url, account, adminPassword, plcUrl: directory.url, creates: true, requirements },
      })
      for (const { id, level, outcome, reason } of results)
        if (outcome !== 'passed') t.diagnostic(`${level} ${id} ${outcome}: ${reason}`)
      assert.deepEqual(results.filter(isUnexpected), [])
      assert.deepEqual(leftovers, [])
    })
}
