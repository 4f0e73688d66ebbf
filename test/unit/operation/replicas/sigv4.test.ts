/** Examples of signed requests that AWS publishes for S3: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
import { expect, test } from 'vitest'
import { parseS3Address } from '../../../../server/operation/replicas/places/s3.ts'
import { sign } from '../../../../server/operation/replicas/places/sigv4.ts'

const signer = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const at = new Date('2013-05-24T00:00:00Z')

test.each([
  {
    ...{ name: 'an upload', method: 'PUT', path: 'test%24file.text', body: 'Welcome to Amazon S3.' },
    headers: { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    ...{ name: 'a list', method: 'GET', path: '?max-keys=2&prefix=J', body: '' },
    headers: {},
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
  {
    ...{ name: 'a parameter without a value', method: 'GET', path: '?lifecycle', body: '' },
    headers: {},
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
])(
  'the signature of $name is that of the published example',
  ({ method, path, body, headers, signature }) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com/${path}`)
    const signed = sign(signer, {
      method,
      url,
      headers,
      body: Buffer.from(body),
      at,
    })
    expect(signed.Authorization).toContain(
      'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    )
    expect(signed.Authorization).toMatch(new RegExp(`Signature=${signature}$`))
  },
)

test('an address defaults to the endpoint of AWS and the region us-east-1', () => {
  const base = (address: string) => parseS3Address(address).base.href
  expect(base('s3://bucket/prefix')).toBe('https://bucket.s3.us-east-1.amazonaws.com/')
  expect(base('s3://bucket?region=eu-west-1')).toBe('https://bucket.s3.eu-west-1.amazonaws.com/')
  expect(base('s3://bucket?endpoint=https://s3.example.com')).toBe('https://s3.example.com/bucket')
})
