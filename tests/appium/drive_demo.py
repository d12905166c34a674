"""Drives the demo app through an unchanged Appium, with its Python client.

Arguments: the server's address, the device's serial, the port of the adb server, an APK to install.
"""

import base64
import sys
import time

from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.common.appiumby import AppiumBy
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput

URL, SERIAL, ADB_PORT, APK = sys.argv[1:]
APP = "com.example.notes"
TEXT = "東京 🙂"


def session():
    """A session with the capabilities that are there by default: what is named is the device and the app."""
    options = UiAutomator2Options()
    options.udid = SERIAL
    options.adb_port = int(ADB_PORT)
    options.suppress_kill_server = True
    options.app_package = APP
    options.app_activity = ".SignIn"
    return webdriver.Remote(URL, options=options)


def by_id(driver, name):
    return driver.find_element(AppiumBy.ID, f"{APP}:id/{name}")


def until(what, wanted):
    for _ in range(50):
        if wanted():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come")


def sign_in(driver):
    by_id(driver, "username").send_keys("ada")
    by_id(driver, "password").send_keys("lovelace")
    by_id(driver, "sign_in").click()
    until("the inbox", lambda: driver.current_activity == ".Inbox")
    assert driver.current_package == APP


def find(driver):
    assert driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Settings").is_displayed()
    xpath = '//android.widget.TextView[@text="Groceries"]'
    assert driver.find_element(AppiumBy.XPATH, xpath).text == "Groceries"
    selector = 'new UiSelector().textStartsWith("Ideas")'
    found = driver.find_element(AppiumBy.ANDROID_UIAUTOMATOR, selector)
    assert found.text == "Ideas for the garden"
    assert len(driver.find_elements(AppiumBy.CLASS_NAME, "android.widget.EditText")) == 1
    source = driver.page_source
    assert "Groceries" in source and f"{APP}:id/search" in source


def type_text(driver):
    field = by_id(driver, "search")
    field.click()
    until("the keyboard", lambda: driver.is_keyboard_shown())
    field.send_keys(TEXT)
    assert by_id(driver, "search").text == TEXT
    driver.hide_keyboard()
    until("its end", lambda: not driver.is_keyboard_shown())
    by_id(driver, "search").clear()
    assert driver.find_elements(AppiumBy.XPATH, '//*[@text="Groceries"]')


def pinch(driver):
    """Two fingers, as W3C actions and as the driver's own gesture; the device logs where they went."""
    actions = ActionChains(driver)
    actions.w3c_actions.devices = []
    for name, (start, end) in {"finger1": (500, 200), "finger2": (1500, 1900)}.items():
        finger = actions.w3c_actions.add_pointer_input(interaction.POINTER_TOUCH, name)
        finger.create_pointer_move(x=540, y=start)
        finger.create_pointer_down()
        finger.create_pointer_move(x=540, y=end, duration=100)
        finger.create_pointer_up(0)
    actions.perform()
    area = {"left": 100, "top": 500, "width": 800, "height": 1200, "percent": 0.5}
    driver.execute_script("mobile: pinchOpenGesture", area)


def scroll(driver):
    pointer = PointerInput(interaction.POINTER_TOUCH, "finger")
    actions = ActionBuilder(driver, mouse=pointer)
    actions.pointer_action.move_to_location(540, 1800).pointer_down()
    actions.pointer_action.move_to_location(540, 600).pointer_up()
    actions.perform()
    until("other notes", lambda: "Groceries" not in driver.page_source)


def pictures(driver):
    picture = driver.get_screenshot_as_png()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
    driver.start_recording_screen()
    by_id(driver, "new_note").click()
    until("the form", lambda: driver.current_activity == ".Form")
    driver.back()
    until("the inbox", lambda: driver.current_activity == ".Inbox")
    video = base64.b64decode(driver.stop_recording_screen())
    assert b"ftyp" in video[:16] and b"moov" in video, f"{len(video)} bytes are no video"


def apps(driver):
    driver.activate_app(APP)
    assert driver.query_app_state(APP) == 4
    driver.background_app(1)
    assert driver.current_package == APP
    driver.background_app(-1)
    assert driver.current_package != APP and driver.query_app_state(APP) == 3
    driver.activate_app(APP)
    assert driver.current_package == APP
    assert driver.terminate_app(APP)
    assert driver.query_app_state(APP) == 1
    driver.install_app(APK)
    assert driver.is_app_installed("io.appium.settings")
    assert driver.remove_app("io.appium.settings") and not driver.is_app_installed("io.appium.settings")


def system(driver):
    driver.set_clipboard_text(TEXT)
    assert driver.get_clipboard_text() == TEXT
    driver.press_keycode(3)
    assert driver.current_package == "com.android.launcher"
    assert not driver.is_locked()
    driver.lock()
    assert driver.is_locked()
    driver.unlock()
    assert not driver.is_locked()
    bars = driver.get_system_bars()
    assert bars["statusBar"]["visible"] and bars["statusBar"]["height"] > 0, bars
    assert driver.orientation == "PORTRAIT"
    driver.push_file("/sdcard/Download/a.txt", base64.b64encode(TEXT.encode()).decode())
    assert base64.b64decode(driver.pull_file("/sdcard/Download/a.txt")).decode() == TEXT
    lines = [entry["message"] for entry in driver.get_log("logcat")]
    assert any("Notes" in line and "signed in" in line for line in lines)
    fingers = [line for line in lines if "Touchscreen" in line]
    assert fingers, "two fingers are logged"


driver = session()
try:
    for part in [sign_in, find, type_text, pinch, scroll, pictures, system, apps]:
        part(driver)
        print(f"{part.__name__}: passed", flush=True)
    driver.execute_script("mobile: clearApp", {"appId": APP})
finally:
    driver.quit()
# The server is gone with the session, and comes back with the next one; the app's data was cleared.
driver = session()
try:
    assert driver.current_activity == ".SignIn"
finally:
    driver.quit()
print("ended: passed", flush=True)
