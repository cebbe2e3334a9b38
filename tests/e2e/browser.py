"""A headless Chromium, spoken to by its DevTools protocol: what the report's test looks at a page with.

    with Browser(scratch_folder) as browser:
        browser.open('file:///…')
        browser.evaluate('document.title')

Everything the page logs, throws or asks the network for is kept in browser.complaints and
browser.requests. One thread; errors are exceptions."""
import json
import pathlib
import shutil
import subprocess
import time

import websocket  # python3-websocket


class Browser:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.complaints = []
        self.requests = []
        self.seen = []
        self.number = 0

    def __enter__(self):
        profile = self.folder / 'profile'
        program = shutil.which('chromium') or shutil.which('chromium-browser')
        if program is None:
            raise SystemExit('chromium is not installed')
        self.process = subprocess.Popen(
            [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0',
             '--remote-allow-origins=*', '--no-first-run', '--disable-component-update',
             '--disable-background-networking', '--disable-dev-shm-usage', f'--user-data-dir={profile}',
             f'--crash-dumps-dir={profile}', 'about:blank'],
            stdout=subprocess.DEVNULL, stderr=open(self.folder / 'chromium.log', 'w'))
        port_file = profile / 'DevToolsActivePort'
        self.wait(lambda: port_file.exists() and port_file.read_text().count('\n') >= 1, 'Chromium to start')
        port, path = port_file.read_text().split('\n')[:2]
        self.socket = websocket.create_connection(f'ws://127.0.0.1:{port}{path}', timeout=20)
        self.session = None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.call('Browser.close')
            self.process.wait(timeout=10)
        except Exception:
            self.process.kill()
            self.process.wait()

    @staticmethod
    def wait(condition, what, seconds=20):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f'waited in vain for {what}')
            time.sleep(0.02)

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            self.take(answer)

    def take(self, event):
        method, parameters = event.get('method'), event.get('params', {})
        self.seen.append(method)
        if method == 'Runtime.exceptionThrown':
            details = parameters['exceptionDetails']
            self.complaints.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Runtime.consoleAPICalled':
            self.complaints.append(' '.join(str(one.get('value', one.get('description'))) for one in parameters['args']))
        elif method == 'Log.entryAdded':
            self.complaints.append(parameters['entry']['text'])
        elif method == 'Network.requestWillBeSent':
            self.requests.append(parameters['request']['url'])
        elif method == 'Page.javascriptDialogOpening':
            self.complaints.append('a dialog: ' + parameters['message'])
            self.call('Page.handleJavaScriptDialog', accept=True)

    def evaluate(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(f'{expression}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def open(self, address):
        self.seen.clear()
        self.requests.clear()
        self.complaints.clear()
        self.call('Page.navigate', url=address)
        self.wait(lambda: self.evaluate('document.readyState') == 'complete' and
                  'Page.loadEventFired' in self.seen, 'the page to load')

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def emulate(self, **features):
        self.call('Emulation.setEmulatedMedia',
                  features=[{'name': name.replace('_', '-'), 'value': value} for name, value in features.items()])
        self.settle()

    # Two frames: what was asked for has been laid out and painted.
    def settle(self):
        self.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def press(self, key):
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, text=key if len(key) == 1 else '')
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)
