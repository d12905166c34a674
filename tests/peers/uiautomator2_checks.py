"""What uiautomator2's tests on a phone ask of the device itself, asked of the virtual device with the demo app.

The checks are ours, the client is the published one. What it does with elements is in tests/appium/drive_u2.py.
"""

import os
import time

import pytest
import uiautomator2 as u2

APP = "com.example.notes"


@pytest.fixture(scope="module")
def d():
    device = u2.connect(os.environ["ANDROID_SERIAL"])
    yield device
    device.stop_uiautomator()


@pytest.fixture
def app(d):
    d.app_start(APP, stop=True)
    d.app_wait(APP, timeout=10)
    return d


def test_info(d):
    assert d.info["displayWidth"] == 1080
    assert d.device_info["sdk"] == 34
    assert d.window_size() == (1080, 2400)
    assert d.serial == os.environ["ANDROID_SERIAL"]


def test_wlan_ip(d):
    assert d.wlan_ip == "192.0.2.2"


def test_app_start_and_stop(app):
    assert app.app_current()["package"] == APP
    assert APP in app.app_list_running()
    app.app_stop(APP)
    assert app.app_current()["package"] != APP


def test_app_info(d):
    assert d.app_info(APP)["versionName"] == "1.4.2"
    assert APP in d.app_list("-3")


def test_session(app):
    session = app.session(APP)
    assert session.running()
    app.app_stop(APP)
    assert not session.running()


def test_wait_activity(app):
    assert app.wait_activity(".SignIn", timeout=5)


def test_dump_hierarchy(app):
    assert "resource-id=" in app.dump_hierarchy()
    assert app.dump_hierarchy(compressed=True, pretty=True).startswith("<?xml")


def test_screenshot(d, tmp_path):
    path = tmp_path / "screen.jpg"
    d.screenshot().convert("RGB").save(path)
    assert path.stat().st_size > 1000


def test_xpath(app):
    assert app.xpath("//android.widget.EditText").wait(timeout=5)
    assert len(app.xpath("//android.widget.EditText").all()) == 2
    assert not app.xpath("//*[@text='nowhere']").exists


def test_send_keys(app):
    field = app(className="android.widget.EditText", instance=0)
    field.click()
    app.send_keys("ada", clear=True)
    assert field.get_text() == "ada"


def test_watcher(app):
    app.watcher("sign in").when("Sign in").click()
    app.watcher.run()
    app.watcher.remove()


def test_press_and_screen(d):
    d.press("home")
    d.press(4)
    d.screen_off()
    assert d.info["screenOn"] is False
    d.screen_on()
    assert d.info["screenOn"] is True


def test_orientation(d):
    d.set_orientation("l")
    assert d.orientation == "left"
    d.set_orientation("n")
    assert d.orientation == "natural"


def test_open_url(d):
    d.open_url("https://example.org/a")
    assert d.app_current()["package"] == "com.android.browser"
    assert d(text="https://example.org/a").wait(timeout=5)


def test_clipboard(d):
    d.set_clipboard("hello")
    assert d.clipboard == "hello"


def test_push_and_pull(d, tmp_path):
    path = "/data/local/tmp/peer.txt"
    (tmp_path / "a").write_text("hello")
    d.push(str(tmp_path / "a"), path)
    d.pull(path, str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "hello"


def test_notifications(d):
    d.open_notification()
    time.sleep(0.5)
    d.open_quick_settings()
    d.press("back")


def test_shell(d):
    assert d.shell("echo hello").output == "hello\n"
    assert d.shell("false").exit_code == 1


def test_keyboard(d):
    assert d.current_ime()
