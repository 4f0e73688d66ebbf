/** Signs requests to S3-compatible storage (AWS Signature Version 4), their content included. */
import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import aws4 from 'aws4'

export interface Signer {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface Unsigned {
  readonly method: string
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Uint8Array | undefined
  readonly at: Date
}

/** Returns the headers of the signed request. */
export function sign(
  signer: Signer,
  { method, url, headers, body = new Uint8Array(), at }: Unsigned,
): OutgoingHttpHeaders {
  const { region, accessKeyId, secretAccessKey } = signer
  const unsigned = {
    ...headers,
    'X-Amz-Content-Sha256': createHash('sha256').update(body).digest('hex'),
    'X-Amz-Date': at.toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  }
  const request = {
    service: 's3',
    region,
    method,
    host: url.host,
    path: url.pathname + url.search,
    headers: unsigned,
  }
  return aws4.sign(request, { accessKeyId, secretAccessKey }).headers ?? {}
}
