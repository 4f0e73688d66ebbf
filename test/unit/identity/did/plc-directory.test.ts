import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createGenesis, verifyOperation } from '../../../../server/identity/did/did-plc.ts'
import { submitOperation } from '../../../../server/identity/did/plc-directory.ts'
import { OutboundFailed } from '../../../../server/platform/network/client.ts'
import { createSigningKey } from '../../../../server/util/keys.ts'
import { loopbackServer } from './support.ts'

async function genesis() {
  const key = await createSigningKey()
  const rotationKeys = [key.did]
  return createGenesis({
    handle: 'alice.test',
    origin: 'https://pds.example',
    signingKey: key.did,
    rotationKeys,
    signer: key,
  })
}

test('submitOperation: posts the operation as it was signed', async () => {
  const { did, operation } = await genesis()
  let received: unknown
  const directory = await loopbackServer(async (request, response) => {
    expect(request.method).toBe('POST')
    expect(request.headers['content-type']).toBe('application/json')
    expect(decodeURIComponent(request.url ?? '')).toBe(`/${did}`)
    received = await json(request)
    response.end()
  })
  await submitOperation(`${directory.origin}/`, did, operation)
  expect(await verifyOperation(received, did)).toEqual(operation)
})

test('submitOperation: the error quotes the directory', async () => {
  const { did, operation } = await genesis()
  const directory = await loopbackServer((_, response) => {
    response.writeHead(400).end('{"message":"Invalid signature"}')
  })
  const submission = submitOperation(directory.origin, did, operation)
  await expect(submission).rejects.toThrow(OutboundFailed)
  await expect(submission).rejects.toThrow(/400.*Invalid signature/)
})
