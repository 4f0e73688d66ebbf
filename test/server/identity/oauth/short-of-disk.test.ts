/** Apps learn what a server is short of, in the form of OAuth. */
import { expect, test } from 'vitest'
import { App } from '../../../support/accounts/oauth-app.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { setupServer } from '../../../support/server/setup.ts'

const disk = new FullDisk()
setupServer({ config: { publicUrl: undefined }, files: disk.files, accounts: ['alice'] })

test('on a full disk an app is asked to try again later, and is served then', async () => {
  const app = await App.create()
  expect((await app.request()).status).toBe(201)
  disk.isFull = true
  expect(await app.request()).toMatchObject({
    status: 503,
    body: { error: 'temporarily_unavailable', error_description: expect.stringContaining('disk') },
  })
  disk.isFull = false
  expect((await app.request()).status).toBe(201)
})
