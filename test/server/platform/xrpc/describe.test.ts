import { expect, test } from 'vitest'
import type { Config } from '../../../../server/platform/config/config.ts'
import { TestServer } from '../../../support/server/server.ts'

async function description(config: Partial<Config> = {}, account?: string) {
  const server = await TestServer.start(config)
  try {
    if (account !== undefined) await server.account(account, { handle: `${account}.pds.example` })
    const answer = await server.get('com.core.server.describeServer')
    expect(answer.status).toBe(200)
    return { ...answer, port: server.running.port }
  } finally {
    await server.close()
  }
}

test('describeServer needs no credentials', async () => {
  const { body, headers } = await description()
  expect(body).toEqual({
    did: 'did:web:pds.test',
    availableUserDomains: ['.test'],
    inviteCodeRequired: false,
    phoneVerificationRequired: false,
    blobUploadLimit: 300_000_000,
    mailDelivery: 'outbox',
    links: {},
    unclaimed: true,
    contact: {},
  })
  expect(headers.get('cache-control')).toBeNull()
})

test('describeServer returns the settings of the owner', async () => {
  const settings = {
    publicUrl: 'https://pds.example:8443',
    userDomains: ['.pds.example', '.example.org'],
    inviteRequired: 'on',
    privacyUrl: 'https://pds.example/privacy',
    termsUrl: 'https://pds.example/terms',
    contactEmail: 'owner@pds.example',
  } as const
  const { body } = await description(settings, 'alice')
  expect(body).toEqual({
    did: 'did:web:pds.example%3A8443',
    availableUserDomains: ['.pds.example', '.example.org'],
    inviteCodeRequired: true,
    phoneVerificationRequired: false,
    blobUploadLimit: 300_000_000,
    mailDelivery: 'outbox',
    links: {
      privacyPolicy: 'https://pds.example/privacy',
      termsOfService: 'https://pds.example/terms',
    },
    contact: { email: 'owner@pds.example' },
    unclaimed: false,
  })
  expect((await description(settings)).body).toMatchObject({ inviteCodeRequired: false, unclaimed: true })
})

test('without a public address the DID contains the port', async () => {
  const { body, port } = await description({ publicUrl: undefined })
  expect(body.did).toBe(`did:web:localhost%3A${port}`)
})
